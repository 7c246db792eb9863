/* SPDX-License-Identifier: Apache-2.0 */
/* The lock file of cuaudit check: read, compared with a run, and written. */
#ifndef TOOLS_CHECK_LOCK_H
#define TOOLS_CHECK_LOCK_H

#include "analysis/baseline.h"
#include "analysis/check_result.h"

struct check_lock {
	const char *path;
	char *text;		/* as it was read */
	size_t size;		/* of the text */
	struct baseline_lock lock;
	enum demangle names;	/* of kernels */
};

/* Reads it. 0, or -1 after a message. */
int check_lock_read(struct check_lock *lock, const char *path);

/* Begins one that has no fact; the same. */
int check_lock_begin(struct check_lock *lock, const char *path);

/* What is different in the run becomes part of the result. */
void check_lock_compare(struct check_lock *lock, const struct baseline_run *run,
			struct check_result *result);

/*
 * Updates it by what these runs of the command came to and writes it, after which a message says
 * what it has. A status of the tool; the file is as it was unless that is TOOL_OK, which it is not
 * if the file is another one than was read.
 */
int check_lock_write(struct check_lock *lock, const struct baseline_runs *runs, char **command);

#endif
