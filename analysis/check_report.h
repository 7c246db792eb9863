/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check in each format that it has. */
#ifndef ANALYSIS_CHECK_REPORT_H
#define ANALYSIS_CHECK_REPORT_H

#include "analysis/check_result.h"

/* Findings of a rule that are printed; JSON and SARIF have them all. */
enum { CHECK_SHOWN = 10 };

/* Each has a check that was not made too, of which nothing but the problems is known. */
void check_text(const struct check_result *result, struct out *out);
void check_tap(const struct check_result *result, struct out *out);
void check_github(const struct check_result *result, struct out *out);
void check_json(const struct check_result *result, struct out *out);
void check_junit(const struct check_result *result, struct out *out);
void check_sarif(const struct check_result *result, struct out *out);

/* "check: 2 of 7 rules are broken", without a line break. */
void check_verdict_text(const struct check_result *result, struct out *out);

/* What follows the verdict of a rule that does not hold, lines that begin with prefix. */
void check_findings_text(const struct check_result *result, const struct check_sum *sum,
			 const char *prefix, struct out *out);

/*
 * What the lock file came to. Behind a command that failed, why there is no more; else a line for
 * each difference, and what to do about them.
 */
void check_lock_text(const struct check_result *result, const char *prefix, struct out *out);

/* "2 of 31 facts differ", or "all 31 facts hold". */
void check_facts_text(const struct check_result *result, struct out *out);

/* "changed: calls app cuInit -: expected = 1, seen 2". */
void check_difference_text(const struct baseline_difference *difference, struct out *out);

/* One finding, the same way. */
void check_group_text(const struct check_group *group, const char *prefix, struct out *out);

/* How a file is called from the current directory: a path below it is relative. */
const char *check_path(const char *path);

#endif
