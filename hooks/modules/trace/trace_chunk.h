/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of a trace: begun, ended, handed on, begun anew. */
#ifndef HOOKS_MODULES_TRACE_TRACE_CHUNK_H
#define HOOKS_MODULES_TRACE_TRACE_CHUNK_H

#include <stdbool.h>

#include <cuaudit/trace.h>

/* Where a thread, or who describes, writes. */
struct trace_chunk {
	struct cuaudit_trace_chunk *at;	/* NULL: nowhere */
	uint32_t index;			/* in the file */
	bool bare;			/* it has no pages yet: trace_file_populate, not locked, spares faults */
};

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

/* How much of the file's last chunk is written, if it is *chunk or was left; else 0. */
uint32_t trace_chunk_last(const struct trace_chunk *chunk, uint32_t used);

/* Room for one that nobody waits for, said of nothing; *again: it has to be cleared. */
bool trace_chunk_room(uint32_t *index, bool *again);

/* Gives that up: *chunk is unmapped, if it was mapped. */
void trace_chunk_unroom(struct trace_chunk *chunk);

/* Context: call. What it held is lost; nobody else has it. */
void trace_chunk_clear(struct cuaudit_trace_chunk *at);

/* In the child of fork, after trace_chunk_drop of each chunk that the parent uses. */
void trace_chunk_drop(struct trace_chunk *chunk);
void trace_chunk_forked(void);

#endif
