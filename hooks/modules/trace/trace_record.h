/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of calls, see cuaudit-trace(5); trace_fast_path_x86_64.S those of most. */
#ifndef HOOKS_MODULES_TRACE_TRACE_RECORD_H
#define HOOKS_MODULES_TRACE_TRACE_RECORD_H

#include "hooks/modules/trace/trace_writer.h"

enum {
	/* The first words of a record, and bits of the very first ... */
	TRACE_RECORD_WORDS = 2,
	TRACE_RECORD_FLAGS = 8,
	TRACE_RECORD_CORRELATION = 16,
	TRACE_RECORD_DELTA = 32,
	TRACE_RECORD_NEAR = 0x8000,	/* how far its correlation may be from the one before */
	/* ... and of one that says the same again. */
	TRACE_AGAIN_BACK = 8,
	TRACE_AGAIN_TICKS = 24,
	TRACE_AGAIN_DELTA = 42,
	TRACE_RECORD_PREFETCH = 128	/* words: some calls ahead, since they come in bursts */
};

/*
 * Context: call. Writes a call that ended just now, where the writer has room, and ends the
 * chunk there. stack: the number of its backtrace, or NULL.
 */
void trace_record(struct trace_writer *writer, const struct trace_site *site,
		  const struct cuaudit_call *call, uint64_t start, uint64_t end,
		  const uint32_t *stack);

#endif
