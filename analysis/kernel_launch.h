/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a recorded call launches, into which stream. */
#ifndef ANALYSIS_KERNEL_LAUNCH_H
#define ANALYSIS_KERNEL_LAUNCH_H

#include "tracefile/arguments.h"

/* Where a function's arguments have both; found once for each function. */
struct launch_plan {
	bool launches;
	uint8_t kernel;		/* the word */
	bool streams;
	uint8_t stream;		/* the word */
	uint16_t stream_at;	/* behind its pointer, if stream_behind */
	bool stream_behind;
};

struct launch_plan launch_plan(const struct trace_function *function);

struct launch {
	const struct trace_kernel *kernel;
	uint64_t stream;	/* its handle; 0, too, where none is known */
};

/* false: it launched nothing, or nothing of a known name. */
bool launch_read(struct launch *launch, const struct launch_plan *plan, const struct trace *trace,
		 const struct trace_call *call, const struct trace_arguments *arguments);

#endif
