/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a process held, by what its calls took and gave back. */
#ifndef ANALYSIS_DEVICE_MEMORY_H
#define ANALYSIS_DEVICE_MEMORY_H

#include "analysis/facts.h"
#include "analysis/live.h"
#include "analysis/summary.h"
#include "tracefile/tracefile.h"

/* Whether the trace can say. */
bool memory_known(const struct trace *trace, const struct fact *facts);

/* What is held, call by call; begins as { memory, trace, facts }, memory zeroed. */
struct memory_state {
	struct summary_memory *memory;
	const struct trace *trace;
	const struct fact *facts;	/* by function */
	struct live live;
	uint64_t peak;		/* ticks: when device.peak was first reached */
};

/* 1 if the call took memory or gave some back, else 0, or -ENOMEM. Calls come by their ends. */
int memory_call(struct memory_state *state, const struct trace_call *call);
void memory_end(struct memory_state *state);

/*
 * Reads all calls of the trace in their order; a series of at most `points`,
 * which the caller frees. 0 or -ENOMEM.
 */
int memory_follow(struct summary_memory *memory, const struct trace *trace,
		  const struct fact *facts, size_t points);

/* The same of a file whose calls go by. */
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
