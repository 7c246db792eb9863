/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a report: the busiest by name, the rest in one line. */
#ifndef REPORT_THREADS_H
#define REPORT_THREADS_H

#include "report/memory.h"
#include "report/records.h"

struct report_thread {
	const char *name;
	int32_t tid;
	uint32_t number;
	uint64_t calls;
	uint64_t errors;
	uint64_t total;		/* ticks, then ... */
	uint64_t total_ns;	/* ... nanoseconds */
	const struct report_row *rows;
	size_t nrows;
};

struct report_threads {
	struct report_thread *rows;	/* the busiest first */
	size_t count;
	struct report_thread others;	/* all further ones together */
	uint64_t nothers;
};

/* records: at its start. At most limit rows. 0 or -ENOMEM. */
int threads_build(struct report_threads *threads, struct memory *memory,
		  struct records records, const struct cuaudit_stat_header *header, size_t limit);

#endif
