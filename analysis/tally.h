/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of some chunks of one trace, added up by where they come from. */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include "analysis/facts.h"
#include "analysis/inside.h"
#include "analysis/row.h"
#include "tracefile/copy.h"
#include "tracefile/ranges.h"
#include "util/hash_table.h"

/* Times are in ticks of the trace but for the histogram, which is of nanoseconds. */
struct tally_cell {
	struct row_times times;
	/* Of a site: what there was when the calls of the present thread began. */
	uint64_t run;
	struct row_counts before;
};

/* Of one direction, those that succeeded. */
struct tally_copies {
	uint64_t calls, unsized, bytes;
	uint64_t total, sized;		/* ticks, of those of known bytes */
};

/* What a thread did in one function. */
struct tally_share {
	uint32_t thread;	/* its number */
	uint32_t function;	/* index into the trace's array */
	struct row_counts counts;
};

struct tally_error {
	uint32_t site;
	int32_t result;
};

/* Calls from a site by the innermost Python line, in traces that have any. */
struct tally_line {
	uint32_t site;
	uint32_t python;	/* TRACE_NONE: called without */
};

struct tally_handle {
	uint64_t handle;
	struct tally_cell *cell;
};

enum { TALLY_HANDLES = 256 };

struct tally {
	const struct trace *trace;
	const struct fact *facts;	/* of the trace's functions */
	struct tally_cell **sites;	/* NULL: no call came from there */
	struct tally_cell **kernels;	/* by number; the last is of unknown ones */
	/* NULL: nobody asks. The first has one for each text, and the last for calls outside of all. */
	struct tally_cell **named;
	const struct trace_ranges *ranges;
	const bool *texts;		/* only calls in ranges of these; NULL: all */
	struct tally_copies copies[COPY_DIRECTIONS][2];	/* 1: waited for */
	struct table threads;		/* uint32_t, their numbers -> struct row_counts */
	struct tally_share *shares;
	size_t nshares, room;
	struct table errors;		/* struct tally_error -> uint64_t */
	struct inside inside;
	struct table lines;		/* struct tally_line -> struct row_times */
	uint64_t first, last;		/* beginning and end, in ticks */
	uint64_t damaged;
	bool failed;			/* calls alone whose result is an error */
	bool crowded;			/* there were too many shares; they are not kept */
	/* Of the present thread. */
	uint32_t thread;
	uint64_t run;
	uint32_t *touched;		/* its sites */
	size_t ntouched, touched_room;
	struct tally_handle handles[TALLY_HANDLES];
};

/* 0 or -ENOMEM; tally_free in both cases. facts, one for each function, must outlive it. */
int tally_begin(struct tally *tally, const struct trace *trace, const struct fact *facts);

/* Calls are added up by ranges too, or those of some left out. 0 or -ENOMEM. */
int tally_ranges(struct tally *tally, const struct trace_ranges *ranges, const bool *texts, bool named);

/* Adds the calls of count chunks from first on; window: see trace_walk_begin. 0 or -ENOMEM. */
int tally_chunks(struct tally *tally, size_t first, size_t count, void *window, size_t size);

/* Adds all of from, of the same trace, which tally_free still has to be called for. 0 or -ENOMEM. */
int tally_merge(struct tally *tally, struct tally *from);

/* The same of one row: what is worked out from others is left as it is. */
int tally_times(struct row_times *to, const struct row_times *from);

/* Sorts the shares by thread and function, one of each. */
void tally_settle(struct tally *tally);

void tally_free(struct tally *tally);

#endif
