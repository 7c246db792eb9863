/* SPDX-License-Identifier: Apache-2.0 */
/* Saved statistics of several processes, as one report. */
#ifndef TOOLS_MERGE_STAT_H
#define TOOLS_MERGE_STAT_H

#include <stdbool.h>
#include <sys/types.h>

#include "analysis/stat_metrics.h"
#include "analysis/stat_report.h"
#include "tools/load.h"

/* All zero at first. */
struct merge {
	struct load *loads;
	struct report_source *sources;	/* one of each load */
	size_t count;
	struct report report;
};

/* A program that was waited for: how it ended is known. */
struct merge_child {
	pid_t pid;
	int status;		/* of wait(2) */
	bool ended;
};

/*
 * Reads a saved file. NULL, or what is wrong with it: it is not taken then, but
 * for one that is cut short. run: 0, or the only one whose files are taken.
 */
const char *merge_add(struct merge *merge, const char *path, uint64_t run);

/*
 * Adds up what was added, one at least, under a name. child may be NULL.
 * 0 or -ENOMEM. Writes what is wrong with files that could be read to fault,
 * NULL if nothing.
 */
int merge_build(struct merge *merge, const char *name, size_t threads,
		const struct merge_child *child, const char **fault);

/* Processes that have not ended. */
size_t merge_running(const struct merge *merge);

/* Adds the processes to metrics; those of one pid, as exec leaves them, together. 0 or -errno. */
int merge_metrics(const struct merge *merge, struct metrics *metrics);

void merge_free(struct merge *merge);

#endif
