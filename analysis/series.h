/* SPDX-License-Identifier: Apache-2.0 */
/* A quantity over time, in a bounded number of steps of equal length. */
#ifndef ANALYSIS_SERIES_H
#define ANALYSIS_SERIES_H

#include <stddef.h>
#include <stdint.h>

struct series {
	uint64_t *points;	/* the most there was in each step */
	size_t count, limit;
	uint64_t start, step;
	uint64_t now;		/* the quantity */
};

/* Of at most limit >= 2 steps, the first of which are as long as step. 0 or -ENOMEM. */
int series_begin(struct series *series, size_t limit, uint64_t start, uint64_t step);

/* The quantity from that time on; times do not go back. */
void series_set(struct series *series, uint64_t time, uint64_t value);

#endif
