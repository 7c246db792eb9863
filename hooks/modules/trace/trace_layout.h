/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that kernels are launched with. */
#ifndef HOOKS_MODULES_TRACE_TRACE_LAYOUT_H
#define HOOKS_MODULES_TRACE_TRACE_LAYOUT_H

#include <stdbool.h>

#include <cuaudit/trace.h>

enum {
	TRACE_LAYOUT_PARAMETERS = 256,	/* no more are described */
	TRACE_LAYOUT_HEAD = 6,		/* bytes that are written before ... */
	TRACE_LAYOUT_MOST = 880		/* ... as many of a kernel's parameter buffer */
};

/* How a kernel's parameters lie in its parameter buffer. */
struct trace_layout {
	uint32_t number;	/* in the file */
	uint32_t size;		/* bytes of the buffer that are written */
	uint32_t count;
	bool more;		/* than is written */
	struct cuaudit_trace_parameter parameters[];
};

/*
 * Context: call, locked. One of these count parameters, described before or now;
 * NULL where there is no room. Each begins before TRACE_LAYOUT_MOST. more: the kernel has others.
 */
const struct trace_layout *trace_layout(const struct cuaudit_trace_parameter *parameters,
					uint32_t count, bool more);

/* Context: call, locked. The one of that number. */
const struct trace_layout *trace_layout_numbered(uint32_t number);

/*
 * Context: call. Writes the parameters of a kernel that was launched to *to, at most
 * HEAD + MOST bytes, and moves it behind them. from: a launch's kernelParams or extra, not
 * NULL. False, and nothing is written, where the layout is not known, which is NULL, or
 * something cannot be read: handles may have become other kernels unseen.
 */
bool trace_layout_copy(const struct trace_layout *layout, uint64_t from, bool extra, char **to);

/* Context: call. Writes that they are not known; returns the end. */
char *trace_layout_none(char *to);

/* Context: call, locked, in the child of fork. */
void trace_layout_forked(void);

#endif
