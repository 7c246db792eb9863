/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the chunks of a trace: a file's next, or those that are full, or were left. */
#ifndef HOOKS_MODULES_TRACE_TRACE_ROOM_H
#define HOOKS_MODULES_TRACE_TRACE_ROOM_H

#include <stdbool.h>

#include <cuaudit/trace.h>

/* Where a thread, or who describes, writes. */
struct trace_chunk {
	struct cuaudit_trace_chunk *at;	/* NULL: nowhere */
	uint32_t index;			/* in the file */
	bool unpopulated;		/* it has no pages yet: trace_file_populate, not locked, spares faults */
};

/* Context of all: call, locked. */

/* One in memory, without a kind and nobody's. False: there is none, and *why is the loss. */
bool trace_room_take(struct trace_chunk *chunk, uint32_t *why);

/* Whether there is room that was taken, and could not be had in memory. */
bool trace_room_any(void);

/* Room for one that nobody waits for, without a message; *again: it has to be cleared. */
bool trace_room_ahead(uint32_t *index, bool *again);

/* Gives that up: *chunk is unmapped, if it was mapped. */
void trace_room_give(struct trace_chunk *chunk);

/* Context: call. What it held is lost; nobody else has it. */
void trace_room_clear(struct cuaudit_trace_chunk *at);

/*
 * A full one of a ring, to be begun anew when its turn comes. False: it is forgotten, since
 * memory is out. The second: only if it may stay in memory till then.
 */
bool trace_room_full(const struct trace_chunk *chunk);
bool trace_room_keep(const struct trace_chunk *chunk);

/* One whose thread has ended is handed on; see trace_chunk.h. */
bool trace_room_leave(struct trace_chunk *chunk, uint64_t calls, uint32_t used);
bool trace_room_take_over(struct trace_chunk *chunk, uint64_t *calls, uint32_t *used);

/* How much of the file's last chunk is written, if it is *chunk or was left; else 0. */
uint32_t trace_room_last(const struct trace_chunk *chunk, uint32_t used);

/* In the child of fork, the first of each chunk that the parent uses. */
void trace_room_drop(struct trace_chunk *chunk);
void trace_room_forked(void);

#endif
