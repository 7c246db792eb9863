/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a chunk, a window of it in memory at a time. */
#include "tracefile/tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_MAX = 256 << 10 };

size_t trace_window(const struct trace *trace)
{
	size_t window = trace->header.chunk < WINDOW_MAX ? trace->header.chunk : WINDOW_MAX;

	if (window <= trace->size)
		return window;
	return trace->size < TRACE_WINDOW_MIN ? TRACE_WINDOW_MIN : (size_t)trace->size & ~(size_t)7;
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
	if (walk->window >= trace->header.chunk)
		return;
	walk->window -= sizeof(*walk->backrefs);
	walk->backrefs = (struct trace_backref *)(void *)((char *)buffer + walk->window);
	memset(walk->backrefs, 0, sizeof(*walk->backrefs));
}

int trace_walk_chunk(struct trace_walk *walk, size_t index)
{
	const struct trace_chunk *chunk = &walk->trace->chunks[index];

	walk->chunk = chunk;
	walk->before = walk->calls;
	walk->at = walk->end = walk->buffer;
	walk->last = chunk->base_ticks;
	walk->correlation = chunk->base_correlation;
	walk->thread = chunk->thread;
	walk->begin = walk->offset = chunk->offset + CUAUDIT_TRACE_CHUNK_HEADER;
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

/*
 * Whether what was copied of the chunk is of this chunk: a process that still writes a ring
 * begins chunks anew, their kind and sequence first. How many of its calls are lost is known if it
 * was full when the file was opened; else there was one at least.
 */
static bool is_same(const struct trace_walk *walk)
{
	const struct trace_chunk *chunk = walk->chunk;
	uint64_t seen = walk->calls - walk->before, lost;
	struct {
		uint32_t kind, thread;
		uint64_t sequence;
	} now = { .kind = CUAUDIT_TRACE_EMPTY };

	if (!walk->trace->living || !(walk->trace->header.flags & CUAUDIT_TRACE_RING))
		return true;
	/* Pairs with trace_chunk_clear. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (trace_read(walk->trace, &now, sizeof(now), chunk->offset) == (ssize_t)sizeof(now) &&
	    now.kind == CUAUDIT_TRACE_CALLS && now.sequence == chunk->sequence)
		return true;
	lost = chunk->records > seen ? chunk->records - seen : 1;
	__atomic_fetch_add(walk->trace->overwritten, lost, __ATOMIC_RELAXED);
	return false;
}

/*
 * A copy of records that are being written may have of a record what publishes it, and not all
 * that was written before. All records of the copy were published, so another copy has them whole.
 */
static void copy_again(struct trace_walk *walk, uint64_t *words, size_t kept, size_t count)
{
	size_t last = 0;
	ssize_t got;

	if (!walk->trace->living || walk->chunk->records)
		return;
	while (last < kept + count && words[last] & 255)
		last += words[last] & 255;
	got = trace_read(walk->trace, words + kept, count * 8, walk->offset);
	if (got < 0)
		walk->error = (int)got;
	if (last < kept + count)
		words[last] = 0;
}

/*
 * Nothing is where there was something when the file was opened: it was cut off since, which its own
 * process does behind its last record, as it ends.
 */
static bool was_cut(const struct trace_walk *walk)
{
	uint32_t flags;
	uint64_t size;

	return trace_read(walk->trace, &flags, sizeof(flags),
			  offsetof(struct cuaudit_trace_header, flags)) != (ssize_t)sizeof(flags) ||
	       trace_read(walk->trace, &size, sizeof(size),
			  offsetof(struct cuaudit_trace_header, size)) != (ssize_t)sizeof(size) ||
	       !(flags & CUAUDIT_TRACE_FINISHED) || !size || size > walk->offset;
}

bool trace_walk_more(struct trace_walk *walk)
{
	size_t kept = (size_t)(walk->end - walk->at) * 8, room = walk->window - kept;
	ssize_t got;

	if (kept) {
		uint64_t words = *walk->at & 255;

		if (!*walk->at)
			return over(walk, false);
		if (!words)
			return over(walk, true);
		memmove(walk->buffer, walk->at, kept);
	}
	if (room > walk->left)
		room = walk->left & ~(size_t)7;
	if (!room)
		return over(walk, kept > 0);
	got = trace_read(walk->trace, (char *)walk->buffer + kept, room, walk->offset);
	if (got < 0)
		walk->error = (int)got;
	if (got < 8)
		return over(walk, kept || got < 0 || was_cut(walk));
	got &= ~(ssize_t)7;
	copy_again(walk, walk->buffer, kept / 8, (size_t)got / 8);
	if (!is_same(walk))
		return over(walk, false);
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

/* A range's event, in place of a call. */
static void take_range(struct trace_walk *walk, const uint64_t *record)
{
	bool is_long = record[0] >> 8 & CUAUDIT_TRACE_LONG;

	if (walk->at - record < 2 + is_long) {
		over(walk, true);
		return;
	}
	walk->last += is_long ? record[2] : record[0] >> 32;
	if (walk->on_range)
		walk->on_range(walk, record);
}

/* How many words follow the first two, as the flags say, before arguments. */
static int words_before(unsigned int flags)
{
	return 2 * !!(flags & CUAUDIT_TRACE_LONG) + !!(flags & CUAUDIT_TRACE_STATUS) +
	       !!(flags & CUAUDIT_TRACE_CORRELATION) + !!(flags & CUAUDIT_TRACE_STACK);
}

/* The record that is said again, of which there are `most` words; NULL: it is none. */
static const uint64_t *said_arguments(const uint64_t *said, uint64_t most, uint32_t *size)
{
	unsigned int flags = said[0] >> 8 & 255;
	uint64_t words = said[0] & 255, before = 2 + (uint64_t)words_before(flags);

	if (words < 2 || flags & (CUAUDIT_TRACE_NEXT_THREAD | CUAUDIT_TRACE_RANGE) || words > most || words < before ||
	    words - before > CUAUDIT_TRACE_AGAIN_MOST / 8)
		return NULL;
	if (!(flags & CUAUDIT_TRACE_WITH_ARGUMENTS))
		words = before;
	*size = (uint32_t)(words - before) * 8;
	return said + before;
}

/* Its place in walk->backrefs, read if it is not there, or why there is none. */
enum { NOT_THERE = -1, OVERWRITTEN = -2 };

static int backref_record(struct trace_walk *walk, uint64_t offset, uint64_t most)
{
	enum { WORDS = 2 + 5 + CUAUDIT_TRACE_AGAIN_MOST / 8 };
	struct trace_backref *backrefs = walk->backrefs;
	uint64_t words[WORDS] = { 0 };
	const uint64_t *arguments;
	uint32_t size, place;
	ssize_t got;

	for (int i = 0; i < TRACE_BACKREFS; i++)
		if (backrefs->offsets[i] == offset)
			return i;
	got = trace_read(walk->trace, words, sizeof(words), offset);
	if (got < 0)
		walk->error = (int)got;
	if (got < 16)
		return NOT_THERE;
	if (!is_same(walk)) {
		over(walk, false);
		return OVERWRITTEN;
	}
	if (most > (uint64_t)got / 8)
		most = (uint64_t)got / 8;
	arguments = said_arguments(words, most, &size);
	if (!arguments)
		return NOT_THERE;
	place = backrefs->next++ % TRACE_BACKREFS;
	backrefs->offsets[place] = offset;
	backrefs->sites[place] = (uint32_t)(words[1] >> 32);
	backrefs->sizes[place] = size;
	memcpy(backrefs->arguments[place], arguments, size);
	return (int)place;
}

bool trace_walk_again(struct trace_walk *walk, const uint64_t *record, struct trace_call *call)
{
	uint64_t back = record[0] >> 8 & 0xffff, offset, seen;
	const uint64_t *said, *arguments;
	int place;

	/* Where this record is in the file, and words of the chunk before it. */
	offset = walk->offset - (uint64_t)(walk->end - record) * 8;
	seen = (offset - walk->begin) / 8;
	if (back < 2 || back > seen)
		goto damaged;
	if (back <= (uint64_t)(record - walk->buffer)) {
		said = record - back;
		arguments = said_arguments(said, back, &call->size);
		if (!arguments)
			goto damaged;
		call->site = (uint32_t)(said[1] >> 32);
		call->arguments = call->size ? (const uint8_t *)arguments : NULL;
		return true;
	}
	place = walk->backrefs ? backref_record(walk, offset - back * 8, back) : NOT_THERE;
	if (place == OVERWRITTEN)
		return false;
	if (place < 0)
		goto damaged;
	call->site = walk->backrefs->sites[place];
	call->size = walk->backrefs->sizes[place];
	call->arguments = call->size ? (const uint8_t *)walk->backrefs->arguments[place] : NULL;
	return true;
damaged:
	walk->damaged++;
	return false;
}

bool trace_walk_rest(struct trace_walk *walk, const uint64_t *record, struct trace_call *call)
{
	unsigned int flags = record[0] >> 8 & 255;
	const uint64_t *at = record + 2, *end = walk->at;
	uint64_t since = record[0] >> 32, took = (uint32_t)record[1];

	if (flags & CUAUDIT_TRACE_NEXT_THREAD) {
		take_over(walk, record);
		return false;
	}
	if (flags & CUAUDIT_TRACE_RANGE) {
		take_range(walk, record);
		return false;
	}
	trace_walk_correlate(walk, record[0]);
	if (end - at < words_before(flags)) {
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

int trace_chunk_owner(const struct trace *trace, size_t index, uint32_t *number)
{
	size_t window = trace_window(trace);
	void *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call;

	if (!buffer)
		return -ENOMEM;
	trace_walk_begin(&walk, trace, buffer, window);
	trace_walk_chunk(&walk, index);
	while (trace_walk_next(&walk, &call))
		;
	free(buffer);
	*number = walk.thread;
	return walk.error;
}
