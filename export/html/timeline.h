/* SPDX-License-Identifier: Apache-2.0 */
/* What the page's timeline shows: threads as rows, their time in bins, some calls by themselves. */
/*
 * A summary of the files says who gets a row and whose calls are all shown;
 * then each file is read once more. Memory and the page are bounded by the
 * limits below.
 */
#ifndef EXPORT_HTML_TIMELINE_H
#define EXPORT_HTML_TIMELINE_H

#include <stdbool.h>
#include <stdlib.h>

#include "analysis/summary.h"
#include "export/html/bins.h"
#include "export/html/heap.h"
#include "util/hash_table.h"
#include "util/out.h"
#include "util/writer.h"

struct trace;

enum {
	TIMELINE_PROCESSES = 1024,	/* that have rows at all */
	TIMELINE_ROWS = 2048,
	TIMELINE_BINS = 1 << 18,	/* of all rows */
	TIMELINE_ROW_BINS = 1 << 16,
	TIMELINE_EXACT = 60000,		/* calls of threads that show all of theirs */
	TIMELINE_LONGEST = 5000,
	TIMELINE_SYNCS = 5000,
	TIMELINE_ERRORS = 5000,
	TIMELINE_CELLS = 40000,		/* parts of rows that show their longest call */
	TIMELINE_ROW_CELLS = 4096,
	TIMELINE_TEXTS = 2000,		/* calls in all, up to which arguments are shown */
	TIMELINE_MARKS = 1000,
	TIMELINE_RANGES = 20000,	/* the longest */
	TIMELINE_RANGE_TEXT = 200,	/* bytes */
	TIMELINE_OPEN = 1000
};

/* Processes have the numbers of the summary's. */
struct timeline_process {
	size_t first, nrows;	/* of the rows; 0: it has none */
	bool rest;		/* the last of them is of all its other threads together */
};

#define TIMELINE_NO_ROW UINT32_MAX

struct timeline_thread {
	uint32_t process;
	uint32_t number;	/* in its file */
	uint32_t row;		/* TIMELINE_NO_ROW: none of its own */
	uint64_t calls;
	uint64_t floor;		/* without a row: where its last call ended */
	const struct summary_thread *thread;
};

struct timeline_row {
	uint32_t process;
	bool complete;		/* all its calls are shown */
	uint64_t nthreads;
	uint64_t calls;
	const struct summary_thread *thread;	/* NULL: of several */
	size_t text, length;	/* its bins, as JSON among the texts */
};

struct timeline_mark {
	uint32_t process;
	uint64_t at;
	char *text;
};

/* An NVTX range or mark. */
struct timeline_range {
	uint64_t start, duration;
	uint32_t process;
	uint32_t row;		/* of the thread that pushed or marked it; TIMELINE_NO_ROW: one that was started */
	uint32_t text, colour;
	uint16_t depth;
	uint8_t event, flags;	/* of struct trace_range */
};

struct timeline {
	const struct summary *summary;
	uint64_t from;		/* ns since the epoch */
	uint64_t length;	/* ns */
	uint32_t shift;		/* a bin is 1 << shift ns */
	uint32_t cell_shift;	/* the same of a cell */
	size_t nbins;		/* of a row */
	struct table functions, callers, kernels;	/* texts */
	struct timeline_process *processes;
	struct timeline_thread *threads;	/* by process and number */
	struct timeline_row *rows;
	size_t nthreads, nrows;
	size_t hidden;		/* processes without rows */
	struct heap exact, longest, syncs, errors, cells;
	struct shown_call *shown;	/* of all of them, by row and start */
	size_t nshown;
	struct timeline_mark *marks;
	size_t nmarks;
	struct table range_texts;
	struct timeline_range *ranges;	/* by process, row and start */
	size_t nranges, ranges_room;
	uint64_t hidden_ranges;
	struct out texts;
};

/* The summary must live as long. 0 or -ENOMEM; timeline_free in both cases. */
int timeline_build(struct timeline *timeline, const struct summary *summary);
void timeline_free(struct timeline *timeline);

/* As the member "timeline". */
void timeline_json(const struct timeline *timeline, struct writer *json);

/* A part of timeline_build, once rows are made: the calls of a process's file. */
int timeline_fill(struct timeline *timeline, size_t process);

/* A part of timeline_fill: the ranges of its file. */
int timeline_add_ranges(struct timeline *timeline, size_t process, const struct trace *trace);

/* Once all files are read: the longest ranges, in their order. */
void timeline_order_ranges(struct timeline *timeline);

/* As the member "ranges". */
void timeline_ranges_json(const struct timeline *timeline, struct writer *json);

/* The order of timeline->threads. */
static inline int timeline_by_number(const void *a, const void *b)
{
	const struct timeline_thread *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The process's thread of that number, NULL where the summary has none. */
static inline struct timeline_thread *timeline_thread(const struct timeline *timeline,
						      uint32_t process, uint32_t number)
{
	struct timeline_thread key = { .process = process, .number = number };

	return bsearch(&key, timeline->threads, timeline->nthreads, sizeof(key), timeline_by_number);
}

/* A moment as the timeline counts, within it. */
static inline uint64_t timeline_at(const struct timeline *timeline, uint64_t ns)
{
	if (ns <= timeline->from)
		return 0;
	return ns - timeline->from < timeline->length ? ns - timeline->from : timeline->length;
}

#endif
