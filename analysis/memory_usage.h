/* SPDX-License-Identifier: Apache-2.0 */
/* How much device memory a process holds, as its calls go by. */
#ifndef ANALYSIS_MEMORY_USAGE_H
#define ANALYSIS_MEMORY_USAGE_H

#include "analysis/device_memory.h"

struct memory_usage {
	struct summary_memory memory;	/* memory.device.held: the bytes */
	struct memory_state state;
	struct fact *facts;
	bool known;		/* the trace can say */
};

/* For another file; zeroed before the first. 0 or -ENOMEM. */
int memory_usage_begin(struct memory_usage *held, const struct trace *trace);

/* 1 if the call changed it, else 0, or -ENOMEM. Calls come by their ends. */
static inline int memory_usage_call(struct memory_usage *held, const struct trace_call *call)
{
	return held->known ? memory_call(&held->state, call) : 0;
}

void memory_usage_free(struct memory_usage *held);

#endif
