/* SPDX-License-Identifier: Apache-2.0 */
/* How the process of a trace ended, as far as anybody knows. */
#ifndef TRACE_ENDING_H
#define TRACE_ENDING_H

#include "trace/trace.h"

enum trace_ending {
	TRACE_ENDED,		/* by exit(), or the return of main */
	TRACE_RUNS,		/* it has not, on this machine */
	TRACE_ENDED_OTHERWISE,	/* it runs no more, and no code of ours did when it ended */
	TRACE_NOT_ENDED,	/* one of the two before: it was on another machine */
	TRACE_ENDINGS
};

enum trace_ending trace_ending(const struct cuaudit_trace_header *header);

/* As part of a line: what the process did. */
const char *trace_ending_text(enum trace_ending ending);

#endif
