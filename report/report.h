/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of one process say, ready to be printed. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <cuaudit/stat.h>

#include "report/memory.h"
#include "report/out.h"
#include "report/records.h"
#include "report/sum.h"
#include "report/threads.h"

struct report_library {
	const char *path;
	uint64_t calls;
	uint64_t total_ns;
	const struct report_row *rows;
	size_t nrows;
};

/* Records of one type, in the order of their file. */
struct report_list {
	const void **records;
	size_t count;
};

/* Rows, libraries and threads: the most time first, or calls where there are no times. */
struct report {
	const struct cuaudit_stat_header *header;
	int timed;
	uint64_t calls;
	uint64_t total_ns;
	struct report_row *rows;
	size_t nrows;
	struct report_library *libraries;
	size_t nlibraries;
	struct report_threads threads;
	const struct cuaudit_stat_routes *routes;	/* NULL: not in the records */
	struct report_list drivers;
	struct report_list escapes;
	struct report_list tables;
	struct report_list functions;	/* by slot */
	struct report_list paths;	/* libraries, by index */
	size_t damaged;
	struct memory memory;
};

/*
 * Context: setup. Adds up what is in segments, the first of which holds a
 * header the caller has checked; they must outlive the report. At most
 * threads rows for threads. 0 or -ENOMEM; report_free in both cases.
 */
int report_build(struct report *report, const struct segment *segments, size_t count,
		 size_t threads);

void report_free(struct report *report);

/* The path of a library by its index, "(none)" for CUAUDIT_STAT_NONE. */
const char *report_path(const struct report *report, uint32_t index);

/* Printers; a report without calls is an empty table. */
void report_text(const struct report *report, struct out *out);
void report_json(const struct report *report, struct out *out);

#endif
