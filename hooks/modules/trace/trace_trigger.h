/* SPDX-License-Identifier: Apache-2.0 */
/* When the trace starts and stops. */
#ifndef HOOKS_MODULES_TRACE_TRACE_TRIGGER_H
#define HOOKS_MODULES_TRACE_TRACE_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/call.h>

/* Not 0: whether a call is to be written has to be asked. */
extern uint32_t trace_trigger_watch;

/*
 * Context: setup. Conditions, NULL for none: SELECTOR[:N], a time, or
 * "marker". 0, or -ECANCELED after a message.
 */
int trace_trigger_read(const char *start, const char *stop);

/* Context: setup. priority: of hooks around the trace's own. 0 or -errno. */
int trace_trigger_setup(int32_t priority, bool has_file);

/* Context: call. Whether a call that ended at ticks is to be written. */
bool trace_trigger_takes(const struct cuaudit_call *call, uint64_t ticks);

/* Context: call. Whether one that begins now would be. */
static inline bool trace_trigger_is_off(void)
{
	return trace_trigger_watch & 1;
}

/* Context: setup, at the end. Says that nothing started the trace. */
void trace_trigger_report(void);

/* Context: call, in the child of fork. */
void trace_trigger_forked(void);

#endif
