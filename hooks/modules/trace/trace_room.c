/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the chunks of a trace: a file's next, or those that are full, or were left. */
#include "hooks/modules/trace/trace_room.h"

#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/modules/trace/trace_file.h"
#include "util/pages.h"

enum {
	LEFT = 1024,		/* chunks kept for other threads, at most */
	LEFT_MAPPED = 64,	/* of these, kept in memory */
	LEAST = 4096,		/* room that is worth it */
	KEPT = 16,		/* of a ring: full ones that are not given up before they must be */
	FULL_MAPPED = 256	/* of a ring: full ones that stay in memory, for the next time */
};

/* In a ring: those that are full, the oldest first. */
static struct trace_chunk *full;	/* at: NULL, not in memory */
static uint32_t nfull, first_full, room_full, nfull_mapped;

static struct left {
	struct trace_chunk chunk;	/* at: NULL, not in memory */
	uint64_t calls;
	uint32_t used;
} left[LEFT];
static uint32_t nleft, nmapped;

/* Room that was taken, and could not be had in memory. */
static struct {
	struct trace_chunk chunk;
	bool any, again;
} spare;

bool trace_room_full(const struct trace_chunk *chunk)
{
	uint32_t room = 2 * room_full + 1024;
	struct trace_chunk *larger;

	if (nfull == room_full) {
		larger = cuaudit_pages(room * sizeof(*larger));
		if (!larger)
			return false;
		for (uint32_t i = 0; i < nfull; i++)
			larger[i] = full[(first_full + i) % room_full];
		full = larger;
		first_full = 0;
		room_full = room;
	}
	full[(first_full + nfull++) % room_full] = *chunk;
	nfull_mapped += chunk->at != NULL;
	return true;
}

bool trace_room_keep(const struct trace_chunk *chunk)
{
	return nfull_mapped < FULL_MAPPED && trace_room_full(chunk);
}

void trace_room_drop(struct trace_chunk *chunk)
{
	if (chunk->at)
		pages_unmap(chunk->at, CUAUDIT_TRACE_CHUNK);
	chunk->at = NULL;
}

/* A chunk to be begun anew: the one that was full first, else the one that was left first. */
static bool oldest(struct trace_chunk *chunk)
{
	if (nfull) {
		*chunk = full[first_full];
		first_full = (first_full + 1) % room_full;
		nfull--;
		nfull_mapped -= chunk->at != NULL;
		return true;
	}
	if (!nleft)
		return false;
	*chunk = left[0].chunk;
	nmapped -= chunk->at != NULL;
	memmove(left, left + 1, --nleft * sizeof(*left));
	return true;
}

/*
 * The kind goes first: half of it would be no chunk. Of the records only what
 * would publish the first is cleared.
 */
void trace_room_clear(struct cuaudit_trace_chunk *at)
{
	uint64_t calls = at->records;

	__atomic_store_n(&at->kind, CUAUDIT_TRACE_EMPTY, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	trace_file_lost(CUAUDIT_TRACE_LOST_RING, calls);
	memset(at, 0, sizeof(*at) + sizeof(uint64_t));
}

static bool find_room(uint32_t *why)
{
	uint32_t stopped;

	if (spare.any)
		return true;
	spare.again = false;
	spare.chunk = (struct trace_chunk){ .unpopulated = true };
	spare.any = trace_file_extend(&spare.chunk.index, why);
	if (spare.any || !trace_file_ring() || trace_file_stopped(&stopped))
		return spare.any;
	spare.again = true;
	spare.any = oldest(&spare.chunk);
	return spare.any;
}

bool trace_room_ahead(uint32_t *index, bool *again)
{
	struct trace_chunk oldest_chunk;

	*again = false;
	if (spare.any)
		return false;
	if (trace_file_grow(index))
		return true;
	*again = trace_file_ring() && nfull > KEPT && !full[first_full].at;
	if (!*again || !oldest(&oldest_chunk))
		return false;
	*index = oldest_chunk.index;
	return true;
}

void trace_room_give(struct trace_chunk *chunk)
{
	trace_room_drop(chunk);
	if (!trace_file_give(chunk->index) && trace_file_ring())
		trace_room_full(chunk);
}

bool trace_room_any(void)
{
	return spare.any;
}

bool trace_room_take(struct trace_chunk *chunk, uint32_t *why)
{
	if (!find_room(why))
		return false;
	if (!spare.chunk.at)
		spare.chunk.at = trace_file_map(spare.chunk.index);
	if (!spare.chunk.at) {
		*why = CUAUDIT_TRACE_LOST_MEMORY;
		return false;
	}
	*chunk = spare.chunk;
	spare.any = false;
	if (spare.again)
		trace_room_clear(chunk->at);
	return true;
}

bool trace_room_leave(struct trace_chunk *chunk, uint64_t calls, uint32_t used)
{
	if (nleft == LEFT || CUAUDIT_TRACE_CHUNK - used < LEAST)
		return false;
	if (nmapped == LEFT_MAPPED)
		trace_room_drop(chunk);
	else
		nmapped++;
	left[nleft++] = (struct left){ *chunk, calls, used };
	return true;
}

/* The last one left, which is most probably in memory. */
bool trace_room_take_over(struct trace_chunk *chunk, uint64_t *calls, uint32_t *used)
{
	struct left *last;

	if (!nleft)
		return false;
	last = &left[nleft - 1];
	if (last->chunk.at)
		nmapped--;
	else
		last->chunk.at = trace_file_map(last->chunk.index);
	if (!last->chunk.at)
		return false;
	*chunk = last->chunk;
	*calls = last->calls;
	*used = last->used;
	nleft--;
	return true;
}

uint32_t trace_room_last(const struct trace_chunk *chunk, uint32_t used)
{
	uint32_t index = trace_file_chunks() - 1;

	if (chunk->at && chunk->index == index)
		return used;
	for (uint32_t i = 0; i < nleft; i++)
		if (left[i].chunk.index == index)
			return left[i].used;
	return 0;
}

void trace_room_forked(void)
{
	for (uint32_t i = 0; i < nleft; i++)
		trace_room_drop(&left[i].chunk);
	for (uint32_t i = 0; i < nfull; i++)
		trace_room_drop(&full[(first_full + i) % room_full]);
	nleft = nmapped = nfull = nfull_mapped = first_full = 0;
	if (spare.any)
		trace_room_drop(&spare.chunk);
	spare.any = false;
}
