/* SPDX-License-Identifier: Apache-2.0 */
/* What fail=errors does at the end: names the errors, and sets the exit status. */
#ifndef HOOKS_MODULES_STAT_STAT_FAIL_H
#define HOOKS_MODULES_STAT_STAT_FAIL_H

#include "analysis/stat_report.h"

/* Context: setup. report: of the process; NULL where there is no memory for one. */
void stat_fail(const struct report *report);

#endif
