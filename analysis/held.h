/* SPDX-License-Identifier: Apache-2.0 */
/* How much device memory a process holds, as its calls go by. */
#ifndef ANALYSIS_HELD_H
#define ANALYSIS_HELD_H

#include "analysis/memory.h"

struct held {
	struct summary_memory memory;	/* memory.device.held: the bytes */
	struct memory_state state;
	struct fact *facts;
	bool known;		/* the trace can say */
};

/* For another file; zeroed before the first. 0 or -ENOMEM. */
int held_begin(struct held *held, const struct trace *trace);

/* 1 if the call changed it, else 0, or -ENOMEM. Calls come by their ends. */
static inline int held_call(struct held *held, const struct trace_call *call)
{
	return held->known ? memory_call(&held->state, call) : 0;
}

void held_free(struct held *held);

#endif
