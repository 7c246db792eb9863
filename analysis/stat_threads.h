/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a report: the busiest by name, the rest in one line. */
#ifndef ANALYSIS_STAT_THREADS_H
#define ANALYSIS_STAT_THREADS_H

#include "analysis/row.h"
#include "analysis/stat_records.h"
#include "util/arena.h"

struct report_thread {
	const char *name;
	int32_t tid;
	uint32_t number;
	uint32_t process;	/* its index among the sources of the report */
	uint32_t pid;
	struct row_counts counts;
	uint64_t total;		/* ticks of its process */
	const struct report_row *rows;
	size_t nrows;
};

struct report_threads {
	struct report_thread *rows;	/* the busiest first */
	size_t count, room;
	struct report_thread others;	/* all further ones together */
	uint64_t nothers;
};

/*
 * threads_room makes room for the threads of all processes, threads_add adds
 * those of one, threads_finish leaves at most limit rows, the busiest first.
 * records: at its start. room: threads of all. 0 or -ENOMEM.
 */
int threads_room(struct report_threads *threads, struct arena *memory, size_t room);
size_t threads_count(struct records records);
void threads_add(struct report_threads *threads, struct records records,
		 const struct cuaudit_stat_header *header, uint32_t process);
void threads_finish(struct report_threads *threads, size_t limit);

#endif
