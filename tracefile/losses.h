/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing of a trace. */
#ifndef TRACEFILE_LOSSES_H
#define TRACEFILE_LOSSES_H

#include "tracefile/tracefile.h"
#include "util/buffer.h"

struct trace_losses {
	uint64_t ranges[CUAUDIT_TRACE_RANGES_LOSSES];	/* events of them, and names */
	uint64_t calls[CUAUDIT_TRACE_LOSSES];	/* by enum cuaudit_trace_loss */
	uint64_t damaged;	/* parts */
	uint64_t torn, cut;	/* bytes, as of struct trace */
};

/* Of what was read; damaged: parts that were found to be so since it was opened. */
struct trace_losses trace_losses(const struct trace *trace, uint64_t damaged);

/* Whether it is less than was to be recorded: what a ring's newer calls took the place of was not. */
bool trace_losses_any(const struct trace_losses *losses);

/* Why, as part of a line. */
const char *trace_losses_why(uint32_t loss);

/* The same of what is missing of ranges, with what that is. */
const char *trace_losses_range(uint32_t loss);

/* In words, on one line; nothing if all is there. */
void trace_losses_print(struct buffer *out, const struct trace_losses *losses);

#endif
