/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of a trace: begun, ended, handed on. */
#ifndef HOOKS_MODULES_TRACE_TRACE_CHUNK_H
#define HOOKS_MODULES_TRACE_TRACE_CHUNK_H

#include "hooks/modules/trace/trace_room.h"

/* Context of all: call, locked. */

/* Begins a chunk. False: there is none, and *why is the loss. */
bool trace_chunk_begin(struct trace_chunk *chunk, enum cuaudit_trace_kind kind, uint32_t thread,
		       uint64_t ticks, uint64_t correlation, uint32_t *why);

/* It is full, and of so many calls: *chunk is none then. */
void trace_chunk_end(struct trace_chunk *chunk, uint64_t calls);

/* Its thread has ended, after so many calls in it, and wrote so many bytes. */
void trace_chunk_leave(struct trace_chunk *chunk, uint64_t calls, uint32_t used);

/* One that was left with room: how far it is written, and its calls. False if there is none. */
bool trace_chunk_take_over(struct trace_chunk *chunk, uint64_t *calls, uint32_t *used);

/* In the child of fork, after trace_room_drop of each chunk that the parent uses. */
void trace_chunk_forked(void);

#endif
