/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of a trace file: what its numbers stand for. */
#ifndef TRACEFILE_DESCRIBE_H
#define TRACEFILE_DESCRIBE_H

#include "tracefile/tracefile.h"

/* The descriptions of one chunk: a copy of it, of size bytes. */
struct trace_segment {
	uint64_t *data;
	size_t size;
	uint64_t sequence;
};

/* Fills all of trace but its chunks from its segments, which are in order. 0 or -ENOMEM. */
int trace_describe(struct trace *trace);

void trace_describe_free(struct trace *trace);

#endif
