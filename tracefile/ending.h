/* SPDX-License-Identifier: Apache-2.0 */
/* How the process of a trace ended, as far as anybody knows. */
#ifndef TRACEFILE_ENDING_H
#define TRACEFILE_ENDING_H

#include "tracefile/tracefile.h"

enum trace_ending {
	TRACE_ENDED,		/* by exit(), or the return of main */
	TRACE_QUIT,		/* by _exit, _Exit or quick_exit */
	TRACE_RUNS,		/* it has not, on this machine */
	TRACE_ENDED_OTHERWISE,	/* it runs no more, and nothing tells how it ended */
	TRACE_NOT_ENDED,	/* one of the two before: it was on another machine, or /proc is not there */
	TRACE_ENDINGS
};

enum trace_ending trace_ending(const struct cuaudit_trace_header *header);

/* Whether it is known which processes run: /proc is there. */
bool trace_processes_known(void);

/* "exit" or "_exit", NULL where neither is recorded. */
const char *trace_ending_name(const struct cuaudit_trace_header *header);

/* The exit status, -1 where it is not recorded. */
int trace_status(const struct cuaudit_trace_header *header);

/* As part of a line: what the process did. */
const char *trace_ending_text(enum trace_ending ending);

#endif
