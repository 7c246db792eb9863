/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock for whatever the trace hook does seldom. */
#ifndef HOOKS_MODULES_TRACE_TRACE_LOCK_H
#define HOOKS_MODULES_TRACE_TRACE_LOCK_H

#include <signal.h>

/* What the holder finds again. */
struct trace_lock {
	sigset_t signals;
	int error;
};

/*
 * Context: call. While it is held, signals are blocked, so that no handler
 * finds it taken by its own thread, nor is the thread cancelled at once: no
 * cancellation point is to be called. errno is as before when it is given.
 */
void trace_lock(struct trace_lock *saved);
void trace_unlock(const struct trace_lock *saved);

/* Context: call, in the child of fork: nobody holds it. */
void trace_lock_forked(void);

#endif
