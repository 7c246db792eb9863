/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors there were: the records of results, of each function and call site. */
#ifndef HOOKS_MODULES_STAT_STAT_ERROR_H
#define HOOKS_MODULES_STAT_STAT_ERROR_H

#include <cuaudit/stat.h>

/* Context: call. A call of the cell, with that return address, had a result that is an error. */
void stat_error(const struct cuaudit_stat_cell *cell, const void *caller, int32_t result);

/* Context: call, in the child of fork, after stat_store_forked. */
void stat_error_forked(void);

#endif
