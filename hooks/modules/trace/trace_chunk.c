/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of a trace: begun, ended, handed on. */
#include "hooks/modules/trace/trace_chunk.h"

#include <stddef.h>

#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_ready.h"
#include "hooks/modules/trace/trace_room.h"

static uint64_t sequence;

static void count(const struct trace_chunk *chunk, uint64_t calls)
{
	__atomic_store_n(&chunk->at->records, calls, __ATOMIC_RELAXED);
}

/* In memory, without a kind and nobody's. */
static bool find(struct trace_chunk *chunk, uint32_t *why)
{
	if (trace_file_ended(why))
		return false;
	return trace_ready_take(chunk) ||
	       (trace_file_is_full() && !trace_room_any() && trace_ready_take_early(chunk)) ||
	       trace_room_take(chunk, why);
}

bool trace_chunk_begin(struct trace_chunk *chunk, enum cuaudit_trace_kind kind, uint32_t thread,
		       uint64_t ticks, uint64_t correlation, uint32_t *why)
{
	struct trace_file_clocks clocks = trace_file_clocks(ticks);
	struct cuaudit_trace_chunk *at;
	struct trace_chunk found;

	if (!find(&found, why))
		return false;
	at = found.at;
	at->thread = thread;
	at->sequence = ++sequence;
	at->base_ticks = ticks;
	at->base_ns = clocks.ns;
	at->base_raw = clocks.raw;
	at->base_correlation = correlation;
	/* Pairs with the reader, which looks at the kind first. */
	__atomic_store_n(&at->kind, kind, __ATOMIC_RELEASE);
	*chunk = found;
	return true;
}

void trace_chunk_end(struct trace_chunk *chunk, uint64_t calls)
{
	bool described = chunk->at->kind == CUAUDIT_TRACE_DESCRIPTIONS;
	bool ring = trace_file_ring() && !described;

	count(chunk, calls);
	chunk->unpopulated = false;
	if (ring && trace_room_keep(chunk)) {
		chunk->at = NULL;
		/* Later on the ring's own serve again. */
		if (!trace_file_is_full())
			trace_ready_want();
		return;
	}
	trace_ready_done(chunk);
	if (ring)
		trace_room_full(chunk);
}

void trace_chunk_leave(struct trace_chunk *chunk, uint64_t calls, uint32_t used)
{
	count(chunk, calls);
	if (!trace_room_leave(chunk, calls, used))
		trace_chunk_end(chunk, calls);
	chunk->at = NULL;
}

bool trace_chunk_take_over(struct trace_chunk *chunk, uint64_t *calls, uint32_t *used)
{
	uint32_t why;

	if (trace_file_ended(&why) || !trace_room_take_over(chunk, calls, used))
		return false;
	count(chunk, 0);
	return true;
}

void trace_chunk_forked(void)
{
	trace_room_forked();
	trace_ready_forked();
	sequence = 0;
}
