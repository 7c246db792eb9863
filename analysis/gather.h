/* SPDX-License-Identifier: Apache-2.0 */
/* From what each trace says to the rows of a summary. */
#ifndef ANALYSIS_GATHER_H
#define ANALYSIS_GATHER_H

#include "analysis/summary.h"
#include "analysis/tally.h"
#include "util/hash_table.h"

struct gather_pair {
	uint32_t function, library;
};

/* Of the file that was loaded; the key of a struct summary_build is one itself. */
struct gather_caller {
	uint32_t function, library, build, zero;
	uint64_t offset;
	uint32_t python;	/* number of store.lines + 1, or 0 */
	uint32_t unused;	/* 0: keys are compared as bytes */
};

/* Of the outer call; then the inner one's. */
struct gather_inside {
	struct gather_pair outer;
	uint32_t function;
};

struct gather_error {
	struct gather_caller caller;
	int64_t result;
};

/* Keys are names, paths and the structures above. */
struct summary_store {
	struct table functions;	/* -> struct summary_function */
	struct table libraries;	/* -> struct summary_library */
	struct table pairs;	/* -> struct row_times */
	struct table inside;	/* -> struct row_counts */
	struct table callers;	/* -> struct row_times */
	struct table builds;	/* struct summary_build, no rows */
	struct table lines;	/* of Python: "LINE NAME\0FILE", see gather_line; no rows */
	struct table kernels;	/* -> struct row_times */
	struct table ranges;	/* the same */
	struct table errors;	/* -> uint64_t */
	struct table texts;
	struct row_times unknown;	/* launches of kernels without a name */
	struct row_times outside;	/* calls outside of all ranges */
	size_t threads_room, open_room;
	struct summary_pair *rows;	/* the libraries' pairs */
	size_t nrows;
};

/* Begins a summary of count processes. 0 or -ENOMEM. */
int gather_begin(struct summary *summary, size_t count);

/* Adds what a trace and its tally say of a process. 0 or -ENOMEM. */
int gather_add(struct summary *summary, const struct summary_options *options, uint32_t process,
	       const struct trace *trace, struct tally *tally);

/* The file of a process cannot be read. 0 or -ENOMEM. */
int gather_fault(struct summary *summary, uint32_t process, const char *fault);

/* Keeps the busiest threads. */
void gather_threads(struct summary *summary, size_t limit);

/* Sorts all rows, works out what follows from others. 0 or -ENOMEM. */
int gather_finish(struct summary *summary, const struct summary_options *options);

#endif
