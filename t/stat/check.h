/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios in processes of their own, and reports looked into. */
#ifndef T_STAT_CHECK_H
#define T_STAT_CHECK_H

#include "analysis/stat_report.h"

/* Runs scenario in a child of at most a minute; its answer, -1 if it was killed. */
int check_scenario(int (*scenario)(void));

/* Says what differs; returns 1 if something does. */
int check_u64(const char *what, uint64_t got, uint64_t want);

/* The report of the living module, to be given to report_free. */
void check_report(struct report *report);

/* The row of a function, all zero if there is none. */
const struct report_row *check_row(const struct report_row *rows, size_t count,
				   const char *name);

/* How many children there are to wait for that failed. */
int check_wait(int pid);

#endif
