/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the timeline in equal bins of time: how busy, by which functions, how many calls. */
#ifndef EXPORT_HTML_BINS_H
#define EXPORT_HTML_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "export/html/self_time.h"
#include "util/out.h"

enum { BINS_MOST = 3 };

struct bin {
	uint64_t ns[BINS_MOST];	/* of the functions with the most time, or nearly these */
	uint64_t others;	/* ns of all others */
	uint32_t functions[BINS_MOST];
	uint32_t calls;		/* that ended in it */
	uint32_t count;		/* of functions */
};

/* Of several rows, one of which is being filled at a time. */
struct bins {
	struct bin *bins;	/* of all rows */
	size_t nrows, count;	/* so many bins a row */
	uint32_t shift;		/* a bin is 1 << shift ns */
	uint64_t *sums;		/* of the bin that is being filled, by function */
	uint32_t *used;		/* functions in it */
	size_t nused;
	struct bin *row;
	size_t current;		/* bin of the row */
	uint32_t function;	/* of the call that is being added */
};

/* 0 or -ENOMEM; bins_free in both cases. */
int bins_make(struct bins *bins, size_t nrows, size_t count, uint32_t shift, size_t nfunctions);
void bins_free(struct bins *bins);

/* The calls that follow are of that row. */
void bins_turn(struct bins *bins, size_t row);

/* A thread's call, in the order of ends; time is the thread's. Times count from the first bin. */
void bins_call(struct bins *bins, struct self_time *time, uint64_t from, uint64_t to, uint32_t depth,
	       uint32_t function);

/*
 * A row, once another is turned to, as JSON: eight numbers a bin, which are
 * three times a function and its share of the time in percent, that of all
 * others, and how many calls ended; in place of n bins like the one before them
 * -n. Before the first is one of eight zeros: nothing happened.
 */
void bins_json(const struct bins *bins, size_t row, uint64_t nthreads, struct out *out);

#endif
