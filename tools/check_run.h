/* SPDX-License-Identifier: Apache-2.0 */
/* A run of the command of cuaudit check, and what its processes left. */
#ifndef TOOLS_CHECK_RUN_H
#define TOOLS_CHECK_RUN_H

#include <limits.h>
#include <sys/types.h>

#include "analysis/baseline.h"
#include "analysis/check_result.h"

/* All zero at first. */
struct check_run {
	const char *rules;	/* the absolute path of the rules file; NULL: none */
	const char *keep;	/* the directory to keep, NULL: one of our own */
	char *hooks;		/* further ones, NULL: none */
	bool traced;		/* facts for a lock file are wanted */
	char *size;		/* of traces, as the hook takes it; NULL: as large as it likes */
	char *pattern, directory[PATH_MAX];
	unsigned int marks;	/* signals that are marks of the rules, by bit */
	unsigned int marked;	/* those that have come */
	off_t input;		/* where standard input began; -1: it cannot be read again */
};

/* CUAUDIT_HOOKS for files in that directory; NULL after a message. */
char *check_run_hooks(const struct check_run *run, const char *directory);

/* Makes the directory and sets CUAUDIT_HOOKS. NULL, or why not, after a message. */
const char *check_run_begin(struct check_run *run);

/*
 * Runs it once: LAUNCH_GO in the program, TOOL_NOT_MADE after a message, or 0, and *status is that
 * of wait(2). Each run reads standard input from where the first one did, if it is a file.
 */
int check_run_once(struct check_run *run, int *status);

/*
 * What the processes left becomes part of the result, to be judged, and their traces of the facts,
 * unless that is NULL; what is missing is one of the problems.
 */
void check_run_load(const struct check_run *run, struct check_result *result,
		    struct baseline_run *facts);

/* Removes the directory, unless it is kept, or the files in it. */
void check_run_end(const struct check_run *run);
void check_run_clear(const struct check_run *run);

#endif
