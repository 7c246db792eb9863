/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of one process, or of all of a run, say, ready to be printed. */
#ifndef ANALYSIS_STAT_REPORT_H
#define ANALYSIS_STAT_REPORT_H

#include <cuaudit/coverage.h>
#include <cuaudit/stat.h>
#include <stdbool.h>

#include "analysis/error_rows.h"
#include "analysis/stat_records.h"
#include "analysis/stat_sum.h"
#include "analysis/stat_threads.h"
#include "util/arena.h"
#include "util/out.h"

/* Whether it is a library of CUAUDIT_PROVIDERS. */
static inline bool stat_is_provider(const struct cuaudit_stat_driver *driver)
{
	return driver->index >= CUAUDIT_FIRST_PROVIDER;
}

struct report_library {
	const char *path;
	struct row_counts counts;
	const struct report_row *rows;
	size_t nrows;
};

/* Calls of a function that a hook answered for the driver: they are in no row. */
struct report_answered {
	const char *name;
	uint64_t calls;
};

/* What escaped, or an export table that was asked for; equal ones of all processes are one. */
struct report_found {
	union {
		const struct cuaudit_stat_escape *escape;
		const struct cuaudit_stat_table *table;
	};
	const char *library;	/* NULL: not known who asked */
	uint64_t count;
};

/* How a process ended. */
enum report_end {
	REPORT_END_UNKNOWN,	/* by a signal, a system call, or exec of a program without calls */
	REPORT_END_EXIT,	/* status, where it is known, else -1 */
	REPORT_END_QUIT,	/* _exit with this status */
	REPORT_END_SIGNAL,	/* by this signal */
	REPORT_END_EXEC,	/* another program took its place */
	REPORT_END_RUNS		/* it has not */
};

struct report_process {
	const struct cuaudit_stat_header *header;
	enum report_end end;
	int status;
	struct row_counts counts;
	uint64_t answered;
};

/* The records of a process. */
struct report_source {
	const struct segment *segments;	/* the first holds a header the caller has checked */
	size_t count;
	enum report_end end;
	int status;
};

/*
 * Rows, libraries, threads and processes: the most time first, or calls where
 * there are no times.
 */
struct report {
	const struct cuaudit_stat_header *header;	/* of the first process */
	const char *name;	/* what it is of, for the title; NULL: the process alone */
	int timed;
	size_t unknown;		/* processes that did not record escapes, nor calls not hooked */
	struct row_counts counts;
	struct report_row *rows;
	size_t nrows;
	struct report_answered *answered;
	size_t nanswered;
	struct error_rows errors;
	struct report_library *libraries;
	size_t nlibraries;
	struct report_threads threads;
	struct report_process *processes;	/* those with calls */
	size_t nprocesses;
	size_t nruns;		/* of cuaudit stat, as far as known */
	uint64_t first_ns, last_ns;	/* when the first and the last process began */
	struct cuaudit_stat_routes *routes;	/* NULL: not in the records */
	const struct cuaudit_stat_driver **drivers;
	size_t ndrivers;
	struct report_found *escapes;
	size_t nescapes;
	struct report_found *tables;
	size_t ntables;
	uint64_t lost;		/* no memory for them */
	uint64_t unhooked;	/* as far as known: calls of hooks, and of signal handlers in them */
	uint64_t unwound;	/* the same: calls whose end no hook saw */
	size_t partial;		/* processes with calls that are not in the file */
	size_t damaged;		/* segments that break off, and cells without a name */
	struct arena memory;
};

/*
 * Context: setup. Adds up what is in segments, the first of which holds a
 * header the caller has checked; they must outlive the report. At most
 * threads rows for threads. 0 or -ENOMEM; report_free in both cases.
 */
int report_build(struct report *report, const struct segment *segments, size_t count,
		 size_t threads);

/* The same for several processes, one at least, together. */
int report_merge(struct report *report, const struct report_source *sources, size_t count,
		 size_t threads);

void report_free(struct report *report);

/* Of enum cuaudit_route, for people. */
extern const char *const report_route_names[];

/* How a process ended, in a few words: "exit 3". */
struct out_number report_end_text(const struct report_process *process);

/* Printers; a report without calls is an empty table. */
void report_text(const struct report *report, struct out *out);
void report_json(const struct report *report, struct out *out);

#endif
