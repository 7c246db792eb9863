/* SPDX-License-Identifier: Apache-2.0 */
/* Cells added up, and what they say in nanoseconds. */
#ifndef ANALYSIS_STAT_SUM_H
#define ANALYSIS_STAT_SUM_H

#include <cuaudit/stat.h>

#include "analysis/row.h"

struct sum {
	uint64_t calls;
	uint64_t errors;
	uint64_t not_ready;
	uint64_t total;
	uint64_t other_ns;	/* of cells by another clock: not in total ... */
	double other;		/* ... the same in ticks */
	double squares;
	uint64_t min;
	uint64_t max;
	uint64_t buckets[CUAUDIT_STAT_BUCKETS];
};

/* Bounds of a histogram for people and for metrics, in ascending order. */
enum { SUM_BOUNDS = 17 };

struct sum_bound {
	uint64_t ns;
	const char *seconds;	/* as metrics write it */
};

extern const struct sum_bound sum_bounds[SUM_BOUNDS];

/* A function's row; p90_ns is not known of it. */
struct report_row {
	const char *name;
	struct row_times times;
	uint64_t within[SUM_BOUNDS];	/* calls that took no longer than each bound */
};

uint64_t sum_ns(const struct cuaudit_stat_header *header, uint64_t ticks);

void sum_clear(struct sum *sum);
void sum_add(struct sum *sum, const struct cuaudit_stat_cell *cell);

/* The same for a cell of a process with the clock of own, in a sum by that of header. */
void sum_add_of(struct sum *sum, const struct cuaudit_stat_cell *cell,
		const struct cuaudit_stat_header *own, const struct cuaudit_stat_header *header);

void sum_row(struct sum *sum, const struct cuaudit_stat_header *header,
	     struct report_row *row);

#endif
