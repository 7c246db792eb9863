/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's calls, which come by their ends, as beginnings and ends by time. */
/*
 * An inner call comes before its outer one, so calls with a depth are held
 * until the next without one; so many at most, then they are let go.
 */
#ifndef CONVERT_NEST_H
#define CONVERT_NEST_H

#include "convert/bytes.h"
#include "trace/trace.h"

enum { NEST_CALLS = 4096, NEST_ARGUMENTS = 1 << 20 };

struct nest_ops {
	int (*begin)(void *data, const struct trace_call *call);
	int (*end)(void *data, const struct trace_call *call);
};

/* Zeroed but for ops and data, it is empty. */
struct nest {
	const struct nest_ops *ops;
	void *data;
	struct trace_call *calls;	/* arguments: offsets in bytes + 1 */
	uint32_t count;
	struct bytes arguments;
};

/* 0, -ENOMEM, or what a function returned. */
int nest_call(struct nest *nest, const struct trace_call *call);

/* The calls that are still held. */
int nest_flush(struct nest *nest);
void nest_free(struct nest *nest);

#endif
