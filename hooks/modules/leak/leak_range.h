/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by address: ranges that do not overlap. Context: call. */
#ifndef HOOKS_MODULES_LEAK_LEAK_RANGE_H
#define HOOKS_MODULES_LEAK_LEAK_RANGE_H

#include <stdbool.h>

#include "hooks/modules/leak/leak_object.h"

/* What is to be seen of a range without the lock. */
struct leak_seen {
	uint32_t tag;
	uint8_t kind;
};

/* No lock: an object that has an address of [start, end); 0: none. False: it is always changing. */
bool leak_range_see(uint64_t start, uint64_t end, struct leak_seen *seen);

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
