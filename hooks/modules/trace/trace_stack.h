/* SPDX-License-Identifier: Apache-2.0 */
/* Backtraces. */
#ifndef HOOKS_MODULES_TRACE_TRACE_STACK_H
#define HOOKS_MODULES_TRACE_TRACE_STACK_H

#include "hooks/modules/trace/trace_writer.h"

/*
 * Context: setup. Of which functions all frames are recorded, and of which the caller and Python's
 * alone, NULL for none; and how many frames at most. 0, or -errno after a message.
 */
int trace_stack_setup(const char *functions, const char *python, uint32_t frames);

/* Context: call. What is recorded of a function's calls: TRACE_AFTER_STACK, TRACE_AFTER_NATIVE of trace_plan.h. */
uint8_t trace_stack_wanted(const struct cuaudit_function *function);

/*
 * Context: call. The number of the backtrace of this call, native: of all frames; false: not
 * known.
 */
bool trace_stack(struct trace_writer *writer, const struct cuaudit_call *call, bool native,
		 uint32_t *number);

/* Context: call, in the child of fork. */
void trace_stack_forked(void);

#endif
