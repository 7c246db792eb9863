/* SPDX-License-Identifier: Apache-2.0 */
/* Every function there is by name: of the table, then of the drivers that are loaded. */
#ifndef HOOKS_NAME_ITERATOR_H
#define HOOKS_NAME_ITERATOR_H

#include <cuaudit/call.h>
#include <stdbool.h>

/* Context: setup. The names, base and classes of the index-th; see selector_source_fn. */
bool name_iterator_get(uint32_t index, struct cuaudit_function *function);

/* Context: setup. What is wrong with a part of a selector that selector_unknown_name has found. */
const char *name_iterator_fault(const char *part, size_t length);

#endif
