/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of ranges, see cuaudit-trace(5). */
#include "hooks/modules/trace/trace_range_record.h"

#include <stdatomic.h>
#include <string.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_record.h"

enum { EVENT_SHIFT = 16, WHAT_SHIFT = 20, PAYLOAD_SHIFT = 28, HEAD = 2 + 5 };

_Static_assert(HEAD * 8 + CUAUDIT_RANGE_TEXT <= TRACE_MOST, "a record");
_Static_assert((1 + CUAUDIT_RANGE_DEPTH) * (HEAD * 8 + CUAUDIT_RANGE_TEXT + 8) + TRACE_MOST <
	       CUAUDIT_TRACE_CHUNK - CUAUDIT_TRACE_CHUNK_HEADER, "a chunk has room for all that may be open");
_Static_assert((int)CUAUDIT_RANGE_LOST_MEMORY == (int)CUAUDIT_TRACE_RANGES_MEMORY, "losses");

static bool wanted;
static bool is_marked;		/* the file says that it has records of ranges */
static _Atomic uint32_t described;	/* of the names that the program gave */
static _Atomic uint64_t lost;

void trace_range_want(void)
{
	wanted = true;
}

static __attribute__((noinline)) void mark_file(void)
{
	trace_file_has_ranges();
	is_marked = true;
}

/* By words, as the core has it; no compiler makes a call or `rep movs` of it. */
static inline uint64_t *put_text(uint64_t *to, const struct cuaudit_range *range)
{
	const char *text = range->text, *end = text + range->length / sizeof(*to) * sizeof(*to);

	for (; text <= end; text += sizeof(*to)) {
		memcpy(to++, text, sizeof(*to));
		__asm__ volatile("" : "+r"(text));
	}
	return to;
}

/* How: what of enum cuaudit_trace_range is written beside what the range has; whole: with that. */
static inline void put_record(struct trace_writer *writer, const struct cuaudit_range *range,
			 uint32_t event, uint64_t ticks, uint64_t how, bool whole)
{
	uint64_t *at = writer->at, *to = at + 2, delta = ticks - writer->end, payload = 0;
	uint64_t flags = CUAUDIT_TRACE_RANGE, named = range->domain;

	if (__builtin_expect(!is_marked, 0))
		mark_file();
	/* The counter of another processor may be a little behind. */
	if ((int64_t)delta < 0)
		delta = 0;
	writer->end += delta;
	if (__builtin_expect(delta >> 32, 0)) {
		flags |= CUAUDIT_TRACE_LONG;
		*to++ = delta;
		delta = 0;
	}
	if (how & CUAUDIT_TRACE_RANGE_TICKS)
		*to++ = range->ticks;
	if (how & CUAUDIT_TRACE_RANGE_ID)
		*to++ = range->id;
	if (whole) {
		named |= (uint64_t)range->category << 32;
		payload = range->payload_type;
		if (range->flags & CUAUDIT_RANGE_COLOUR) {
			how |= CUAUDIT_TRACE_RANGE_COLOUR;
			*to++ = range->colour;
		}
		if (payload && payload != CUAUDIT_RANGE_OTHER) {
			how |= CUAUDIT_TRACE_RANGE_PAYLOAD;
			*to++ = range->payload;
		}
		if (range->length) {
			how |= CUAUDIT_TRACE_RANGE_TEXT;
			to = put_text(to, range);
		}
		if (range->flags & CUAUDIT_RANGE_CUT)
			how |= CUAUDIT_TRACE_RANGE_CUT;
	}
	*to = 0;
	at[1] = named;
	/* Pairs with the reader: the record is there with its first word. */
	__atomic_store_n(at, (uint64_t)(to - at) | flags << TRACE_RECORD_FLAGS |
			     (uint64_t)event << EVENT_SHIFT | how << WHAT_SHIFT |
			     payload << PAYLOAD_SHIFT | delta << TRACE_RECORD_DELTA, __ATOMIC_RELEASE);
	writer->at = to;
}

__attribute__((hot))
void trace_range_record(struct trace_writer *writer, const struct cuaudit_range *range)
{
	switch (range->kind) {
	case CUAUDIT_RANGE_PUSH:
		put_record(writer, range, CUAUDIT_TRACE_RANGE_PUSH, range->ticks, 0, true);
		return;
	case CUAUDIT_RANGE_POP:
		put_record(writer, range, CUAUDIT_TRACE_RANGE_POP, range->end, 0, false);
		return;
	case CUAUDIT_RANGE_START:
		put_record(writer, range, CUAUDIT_TRACE_RANGE_START, range->ticks,
		      CUAUDIT_TRACE_RANGE_ID, true);
		return;
	case CUAUDIT_RANGE_END:
		put_record(writer, range, CUAUDIT_TRACE_RANGE_FINISH, range->end,
		      CUAUDIT_TRACE_RANGE_ID | CUAUDIT_TRACE_RANGE_TICKS, true);
		return;
	default:
		put_record(writer, range, CUAUDIT_TRACE_RANGE_MARK, range->ticks, 0, true);
	}
}

static size_t room_for(const struct cuaudit_call *call, uint32_t *depth)
{
	const struct cuaudit_range *range;
	size_t words = 2;

	for (*depth = 0; (range = cuaudit_call_range(call, *depth)); ++*depth)
		words += HEAD + range->length / sizeof(uint64_t) + 1;
	return words;
}

bool trace_range_begin(struct trace_writer *writer, const struct cuaudit_call *call)
{
	const struct cuaudit_range none = { .domain = 0 };
	uint32_t depth;

	if (!wanted || (!cuaudit_call_range(call, 0) && !writer->stale))
		return true;
	if (room_for(call, &depth) >= (size_t)(writer->limit - writer->at))
		return false;
	writer->stale = false;
	put_record(writer, &none, CUAUDIT_TRACE_RANGE_RESET, writer->end, 0, false);
	while (depth-- > 0)
		put_record(writer, cuaudit_call_range(call, depth), CUAUDIT_TRACE_RANGE_IS_OPEN,
		      writer->end, CUAUDIT_TRACE_RANGE_TICKS, true);
	return true;
}

bool trace_range_has_names(void)
{
	return cuaudit_range_name_at(atomic_load_explicit(&described, memory_order_relaxed));
}

static bool describe(const struct cuaudit_range_name *name)
{
	size_t size = trace_describe_size(name->text);
	struct cuaudit_trace_range_name *record;
	uint32_t why;

	record = trace_describe(sizeof(*record), size, &why);
	if (!record)
		return false;
	record->id = name->id;
	record->domain = name->domain;
	record->kind = name->kind;
	trace_describe_text(record + 1, name->text, size);
	trace_describe_publish(record, CUAUDIT_TRACE_RANGE_NAME);
	return true;
}

void trace_range_names(void)
{
	const struct cuaudit_range_name *name;
	struct trace_lock saved;
	uint32_t at;

	trace_lock(&saved);
	at = atomic_load_explicit(&described, memory_order_relaxed);
	for (; (name = cuaudit_range_name_at(at)); at++)
		if (name->kind < CUAUDIT_RANGE_STRING && !describe(name))
			break;
	atomic_store_explicit(&described, at, memory_order_relaxed);
	trace_unlock(&saved);
}

void trace_range_rest(void)
{
	if (wanted && trace_range_has_names())
		trace_range_names();
}

void trace_range_lost(void)
{
	atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
}

void trace_range_count(void)
{
	for (uint32_t i = 0; wanted && i < CUAUDIT_RANGE_LOSSES; i++)
		trace_file_lost_ranges(i, cuaudit_range_lost(i));
	if (wanted)
		trace_file_lost_ranges(CUAUDIT_TRACE_RANGES_ROOM, lost);
}

void trace_range_forked(void)
{
	is_marked = false;
	described = 0;
	lost = 0;
}
