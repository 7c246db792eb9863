/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a chunk, a window of it in memory at a time. */
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_MAX = 256 << 10 };

size_t trace_window(const struct trace *trace)
{
	size_t window = trace->header.chunk < WINDOW_MAX ? trace->header.chunk : WINDOW_MAX;

	return window > trace->size && trace->size >= TRACE_WINDOW_MIN ?
	       (size_t)trace->size & ~(size_t)7 : window;
}

void trace_walk_begin(struct trace_walk *walk, const struct trace *trace, void *buffer,
		      size_t window)
{
	*walk = (struct trace_walk){
		.trace = trace,
		.buffer = buffer,
		.window = window & ~(size_t)7,
		.at = buffer,
		.end = buffer,
	};
}

int trace_walk_chunk(struct trace_walk *walk, size_t index)
{
	const struct trace_chunk *chunk = &walk->trace->chunks[index];

	walk->at = walk->end = walk->buffer;
	walk->last = chunk->base_ticks;
	walk->correlation = chunk->base_correlation;
	walk->thread = chunk->thread;
	walk->offset = chunk->offset + CUAUDIT_TRACE_CHUNK_HEADER;
	walk->left = chunk->size - CUAUDIT_TRACE_CHUNK_HEADER;
	return 0;
}

/* Where the row of records ends, whatever is behind. */
static bool over(struct trace_walk *walk, bool damaged)
{
	walk->at = walk->end;
	walk->left = 0;
	walk->damaged += damaged;
	return false;
}

bool trace_walk_more(struct trace_walk *walk)
{
	size_t kept = (size_t)(walk->end - walk->at) * 8, room = walk->window - kept;
	ssize_t got;

	if (kept) {
		uint64_t words = *walk->at & 255;

		if (!*walk->at)
			return over(walk, false);
		if (words < 2)
			return over(walk, true);
		memmove(walk->buffer, walk->at, kept);
	}
	if (room > walk->left)
		room = walk->left & ~(size_t)7;
	if (!room)
		return over(walk, kept > 0);
	do
		got = pread(walk->trace->fd, (char *)walk->buffer + kept, room, (off_t)walk->offset);
	while (got < 0 && errno == EINTR);
	if (got < 8)
		return over(walk, kept || got < 0);
	got &= ~(ssize_t)7;
	walk->at = walk->buffer;
	walk->end = walk->buffer + (kept + (size_t)got) / 8;
	walk->offset += (uint64_t)got;
	walk->left -= (uint64_t)got;
	return true;
}

/* Another thread's calls from here on. */
static void take_over(struct trace_walk *walk, const uint64_t *record)
{
	if (walk->at - record < CUAUDIT_TRACE_NEXT_WORDS) {
		over(walk, true);
		return;
	}
	walk->thread = (uint32_t)record[CUAUDIT_TRACE_NEXT_NUMBER];
	walk->last = record[CUAUDIT_TRACE_NEXT_TICKS];
	walk->correlation = record[CUAUDIT_TRACE_NEXT_CORRELATION];
}

bool trace_walk_rest(struct trace_walk *walk, const uint64_t *record, struct trace_call *call)
{
	unsigned int flags = record[0] >> 8 & 255;
	const uint64_t *at = record + 2, *end = walk->at;
	uint64_t since = record[0] >> 32, took = (uint32_t)record[1];
	int needed = 2 * !!(flags & CUAUDIT_TRACE_LONG) + !!(flags & CUAUDIT_TRACE_STATUS) +
		     !!(flags & CUAUDIT_TRACE_CORRELATION) + !!(flags & CUAUDIT_TRACE_STACK);

	if (flags & CUAUDIT_TRACE_NEXT_THREAD) {
		take_over(walk, record);
		return false;
	}
	if (end - at < needed) {
		over(walk, true);
		return false;
	}
	if (flags & CUAUDIT_TRACE_LONG) {
		since = *at++;
		took = *at++;
	}
	walk->last += since;
	call->end = walk->last;
	call->start = walk->last - took;
	if (flags & CUAUDIT_TRACE_STATUS) {
		call->result = (int32_t)*at;
		call->depth = (uint16_t)(*at >> 32);
		call->status = (uint16_t)(*at++ >> 48);
	}
	if (flags & CUAUDIT_TRACE_CORRELATION)
		walk->correlation = *at++;
	if (flags & CUAUDIT_TRACE_STACK) {
		call->stack = (uint32_t)*at++;
		if (call->stack >= walk->trace->ncallers)
			call->stack = TRACE_NONE;
	}
	if (flags & CUAUDIT_TRACE_WITH_ARGUMENTS) {
		call->arguments = (const uint8_t *)at;
		call->size = (uint32_t)(end - at) * 8;
	}
	return true;
}

uint32_t trace_chunk_owner(const struct trace *trace, size_t index)
{
	size_t window = trace_window(trace);
	void *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call;

	if (!buffer)
		return trace->chunks[index].thread;
	trace_walk_begin(&walk, trace, buffer, window);
	trace_walk_chunk(&walk, index);
	while (trace_walk_next(&walk, &call))
		;
	free(buffer);
	return walk.thread;
}
