/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by address: ranges that do not overlap. Context: call. */
#ifndef HOOKS_MODULES_LEAK_LEAK_RANGE_H
#define HOOKS_MODULES_LEAK_LEAK_RANGE_H

#include "hooks/modules/leak/leak_object.h"

/* No lock: the tag of the range that holds address, 0 if none does. */
uint32_t leak_range_tag(uint64_t address);

/* All below: locked. */

/* A range that has an address of [start, end), or NULL. */
struct leak_object *leak_range_find(uint64_t start, uint64_t end);

/* Overlaps none that is in already. */
void leak_range_add(struct leak_object *object);

void leak_range_remove(struct leak_object *object);

/* In the child of fork. */
void leak_range_forked(void);

#endif
