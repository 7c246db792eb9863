/* SPDX-License-Identifier: Apache-2.0 */
/* The stat hook's records of names, of what was intercepted and what escaped. */
#ifndef HOOKS_MODULES_STAT_STAT_COVERAGE_H
#define HOOKS_MODULES_STAT_STAT_COVERAGE_H

#include <cuaudit/coverage.h>

/* Context: call, locked. Writes the name down unless it was before. */
void stat_coverage_function(const struct cuaudit_function *function);
void stat_coverage_library(const struct cuaudit_library *library);

/* Context: setup, locked. Brings all records up to date. */
void stat_coverage_update(void);

/* Context: call, in the child of fork. */
void stat_coverage_forked(void);

#endif
