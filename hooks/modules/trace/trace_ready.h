/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks made ready before they are wanted, by a thread of its own. */
#ifndef HOOKS_MODULES_TRACE_TRACE_READY_H
#define HOOKS_MODULES_TRACE_TRACE_READY_H

#include "hooks/modules/trace/trace_room.h"

/*
 * Room in a file, and pages for it, take some 200 us a chunk: more than all
 * else a step of a program may cost. It sleeps until a chunk is full, then
 * looks every 2 ms for as long as more become full. A child of fork has no such
 * thread, and its calls do it themselves.
 */

/* Context: setup. Where there can be no thread, nothing is ever ready. */
void trace_ready_setup(void);

/* Context: call, locked. One that is mapped and all 0; false if none is ready. */
bool trace_ready_take(struct trace_chunk *chunk);

/* Context: call, locked. The one that is being made ready, where there is no other. */
bool trace_ready_take_early(struct trace_chunk *chunk);

/* Context: call, locked. A full one, to be unmapped; another will be wanted. */
void trace_ready_done(struct trace_chunk *chunk);

/* Context: call, locked. A chunk is full, and stays mapped; another will be wanted. */
void trace_ready_want(void);

/* Context: setup, not locked. Ends the thread, and gives back what was not wanted. */
void trace_ready_finish(void);

/* Context: call, locked, in the child of fork. */
void trace_ready_forked(void);

#endif
