/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the processes of a checked run left in their directory. */
#ifndef TOOLS_CHECK_FILES_H
#define TOOLS_CHECK_FILES_H

#include <dirent.h>

#include "analysis/check_result.h"

/* What a file of a process is called. */
#define CHECK_NAME "%h-%p.check"
#define CHECK_TRACE_NAME "%h-%p.cutrace"

/* Whether it may be such a file, by its name: the directory has nothing else. */
bool check_files_is_one(const struct dirent *entry);

/* Whether that is a trace. */
bool check_files_is_trace(const struct dirent *entry);

/*
 * Adds what is in the directory, for the result to be judged; what cannot be read is one of its
 * problems. environment: what the processes have in theirs, to find those that still run.
 */
void check_files_load(struct check_result *result, const char *directory, const char *environment);

/* The signals that are marks in the rules file, `mark NAME = signal USR1`, by bit. */
unsigned int check_files_signals(const char *rules);

/* The marks of these signals are reached, in all processes that have a file there. */
void check_files_mark(const char *directory, unsigned int signals);

/* Whether the rules file says that no call of the driver is fine: `optional calls` on a line. */
bool check_files_may_be_idle(const char *rules);

#endif
