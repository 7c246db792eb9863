/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a process held, by what its calls took and gave back. */
#ifndef SUMMARY_MEMORY_H
#define SUMMARY_MEMORY_H

#include "summary/facts.h"
#include "summary/summary.h"
#include "trace/trace.h"

/* Whether the trace can say. */
bool memory_known(const struct trace *trace, const struct fact *facts);

/*
 * Reads all calls of the trace in their order; a series of at most `points`,
 * which the caller frees. 0 or -ENOMEM.
 */
int memory_follow(struct summary_memory *memory, const struct trace *trace,
		  const struct fact *facts, size_t points);

#endif
