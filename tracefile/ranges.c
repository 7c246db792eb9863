/* SPDX-License-Identifier: Apache-2.0 */
/* The NVTX ranges of a trace. */
#include "tracefile/ranges.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracefile/ending.h"
#include "tracefile/names.h"
#include "util/bytes.h"
#include "util/globs.h"
#include "util/sort.h"

enum { DEPTH = 1 << 12, EVENT_SHIFT = 16, WHAT_SHIFT = 20, PAYLOAD_SHIFT = 28 };

/* A thread's open ranges; a file may say that there are any number. */
struct stack {
	uint32_t *ranges;
	size_t count, room;
	uint32_t old;		/* of those first ones it is not known whether they are open still */
	uint64_t reset;		/* since then */
	uint32_t *popped;	/* by their ends, those that a call whose record is to come may begin inside of */
	size_t npopped, popped_room;
};

struct reader {
	struct trace_ranges *ranges;
	const struct trace *trace;
	struct table stacks;	/* by the thread's number */
	uint32_t thread, stack;	/* the last one, and its row, once there is any */
	struct table started;	/* by id: index + 1 */
	uint64_t last;		/* ticks: the latest */
};

/* What a record says. */
struct event {
	uint64_t ticks, began, id, payload;
	const char *text;
	size_t length;
	uint32_t thread, kind, what, payload_type, domain, category, colour;
};

static uint32_t add_text(struct trace_ranges *ranges, const struct event *event)
{
	char text[TRACE_RECORD_MAX + 1];

	memcpy(text, event->text, event->length);
	text[event->length] = '\0';
	return table_text(&ranges->texts, text);
}

static const char *text_of(const struct trace_ranges *ranges, uint32_t number)
{
	return ranges->texts.keys[number].bytes;
}

static uint32_t add(struct reader *reader, const struct event *event, uint64_t start, uint32_t kind)
{
	struct trace_ranges *ranges = reader->ranges;
	struct trace_range *grown = bytes_grown(ranges->ranges, &ranges->room, ranges->count,
						sizeof(*grown));
	uint32_t text = grown ? add_text(ranges, event) : TABLE_NONE;

	if (grown)
		ranges->ranges = grown;
	if (text == TABLE_NONE || ranges->count >= TRACE_NONE - 1) {
		ranges->error = -ENOMEM;
		return TRACE_NONE;
	}
	grown[ranges->count] = (struct trace_range){
		.start = start, .end = event->ticks, .id = event->id, .payload = event->payload,
		.text_number = text, .category_number = event->category, .thread = event->thread,
		.end_thread = event->thread, .parent = TRACE_NONE, .colour = event->colour,
		.domain_number = event->domain, .event = (uint8_t)kind,
		.flags = (uint8_t)((event->what & CUAUDIT_TRACE_RANGE_CUT ? TRACE_RANGE_CUT : 0) |
				   (event->what & CUAUDIT_TRACE_RANGE_COLOUR ? TRACE_RANGE_COLOUR : 0)),
		.payload_type = (uint8_t)event->payload_type,
	};
	return (uint32_t)ranges->count++;
}

static void change(struct reader *reader, const struct stack *stack, uint32_t thread, uint64_t ticks)
{
	struct trace_ranges *ranges = reader->ranges;
	struct trace_range_change *grown = bytes_grown(ranges->changes, &ranges->changes_room,
						       ranges->nchanges, sizeof(*grown));

	if (!grown) {
		ranges->error = -ENOMEM;
		return;
	}
	ranges->changes = grown;
	grown[ranges->nchanges] = (struct trace_range_change){
		ticks, thread, stack->count ? stack->ranges[stack->count - 1] : TRACE_NONE,
		ranges->nchanges };
	ranges->nchanges++;
}

static struct stack *stack_of(struct reader *reader, uint32_t thread)
{
	if (!reader->stacks.count || reader->thread != thread) {
		uint32_t number = table_find(&reader->stacks, &thread, sizeof(thread));

		if (number == TABLE_NONE) {
			reader->ranges->error = -ENOMEM;
			return NULL;
		}
		reader->thread = thread;
		reader->stack = number;
	}
	return table_row(&reader->stacks, reader->stack);
}

/* Those that were open before, and that what says what is open does not name. */
static void drop_old(struct reader *reader, struct stack *stack)
{
	for (uint32_t i = 0; i < stack->old; i++) {
		struct trace_range *range = &reader->ranges->ranges[stack->ranges[i]];

		range->end = stack->reset;
		range->flags |= TRACE_RANGE_UNFINISHED;
	}
	memmove(stack->ranges, stack->ranges + stack->old,
		(stack->count - stack->old) * sizeof(*stack->ranges));
	stack->count -= stack->old;
	stack->old = 0;
}

static void put(struct reader *reader, struct stack *stack, uint32_t range)
{
	uint32_t *grown = bytes_grown(stack->ranges, &stack->room, stack->count, sizeof(*grown));
	struct trace_range *its = &reader->ranges->ranges[range];

	if (!grown) {
		reader->ranges->error = -ENOMEM;
		return;
	}
	stack->ranges = grown;
	its->depth = (uint16_t)(stack->count - stack->old);
	its->parent = stack->count > stack->old ? grown[stack->count - 1] : TRACE_NONE;
	its->flags |= TRACE_RANGE_UNFINISHED;
	grown[stack->count++] = range;
}

static void push(struct reader *reader, struct stack *stack, const struct event *event)
{
	uint32_t range = stack->count < DEPTH ?
			 add(reader, event, event->ticks, CUAUDIT_TRACE_RANGE_PUSH) : TRACE_NONE;

	if (range == TRACE_NONE) {
		reader->ranges->damaged++;
		return;
	}
	put(reader, stack, range);
	change(reader, stack, event->thread, event->ticks);
}

/* One of before goes on, or one of which nothing more is recorded. */
static void is_open(struct reader *reader, struct stack *stack, const struct event *event)
{
	uint32_t range = TRACE_NONE;

	for (uint32_t i = 0; i < stack->old && range == TRACE_NONE; i++) {
		const struct trace_range *old = &reader->ranges->ranges[stack->ranges[i]];

		if (old->start != event->began || old->domain_number != event->domain)
			continue;
		range = stack->ranges[i];
		memmove(stack->ranges + i, stack->ranges + i + 1,
			(--stack->count - i) * sizeof(*stack->ranges));
		stack->old--;
	}
	if (range == TRACE_NONE && stack->count < DEPTH)
		range = add(reader, event, event->began, CUAUDIT_TRACE_RANGE_PUSH);
	if (range == TRACE_NONE) {
		reader->ranges->damaged++;
		return;
	}
	put(reader, stack, range);
	change(reader, stack, event->thread, event->ticks);
}

static void keep_popped(struct reader *reader, struct stack *stack, uint32_t range)
{
	uint32_t *grown = bytes_grown(stack->popped, &stack->popped_room, stack->npopped, sizeof(*grown));

	if (!grown) {
		reader->ranges->error = -ENOMEM;
		return;
	}
	stack->popped = grown;
	grown[stack->npopped++] = range;
}

static void pop(struct reader *reader, struct stack *stack, const struct event *event)
{
	struct trace_range *ranges = reader->ranges->ranges, *range;
	size_t at = stack->count;

	while (at && ranges[stack->ranges[at - 1]].domain_number != event->domain)
		at--;
	if (!at--) {
		reader->ranges->damaged++;
		return;
	}
	range = &ranges[stack->ranges[at]];
	range->end = event->ticks;
	range->end_thread = event->thread;
	range->flags &= (uint8_t)~TRACE_RANGE_UNFINISHED;
	if (at + 1 < stack->count)
		range->flags |= TRACE_RANGE_CROSSING;
	keep_popped(reader, stack, stack->ranges[at]);
	memmove(stack->ranges + at, stack->ranges + at + 1,
		(--stack->count - at) * sizeof(*stack->ranges));
	change(reader, stack, event->thread, event->ticks);
}

static bool is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/*
 * Of a call that is over, or with over not, the thread's ranges that have one end inside of it and
 * one outside. What ended since it began is of no use to calls around it, whose records come later.
 */
static void cross(struct reader *reader, struct stack *stack, uint64_t start, bool over)
{
	struct trace_range *ranges = reader->ranges->ranges, *range;

	for (; stack->npopped; stack->npopped--) {
		range = &ranges[stack->popped[stack->npopped - 1]];
		if (!is_before(start, range->end))
			break;
		if (is_before(range->start, start))
			range->flags |= TRACE_RANGE_CROSSING;
	}
	for (size_t i = stack->count; over && i-- > 0;) {
		range = &ranges[stack->ranges[i]];
		if (!is_before(start, range->start))
			break;
		range->flags |= TRACE_RANGE_CROSSING;
	}
}

/* Of a ring, or of threads that are read one after the other, either may come first or alone. */
static void start_or_finish(struct reader *reader, const struct event *event)
{
	bool finish = event->kind == CUAUDIT_TRACE_RANGE_FINISH;
	uint32_t row = table_find(&reader->started, &event->id, sizeof(event->id)), *known;
	struct trace_range *range;

	if (row == TABLE_NONE) {
		reader->ranges->error = -ENOMEM;
		return;
	}
	known = table_row(&reader->started, row);
	if (!*known) {
		*known = add(reader, event, finish ? event->began : event->ticks,
			     CUAUDIT_TRACE_RANGE_START) + 1;
		if (!*known)
			return;
		range = &reader->ranges->ranges[*known - 1];
		if (finish)
			range->thread = 0;
		else
			range->flags |= TRACE_RANGE_UNFINISHED;
		return;
	}
	range = &reader->ranges->ranges[*known - 1];
	if (!finish) {
		range->thread = event->thread;
		return;
	}
	range->end = event->ticks;
	range->end_thread = event->thread;
	range->flags &= (uint8_t)~TRACE_RANGE_UNFINISHED;
}

static void take(struct reader *reader, const struct event *event)
{
	struct stack *stack = stack_of(reader, event->thread);

	if (!stack)
		return;
	if (stack->old && event->kind != CUAUDIT_TRACE_RANGE_IS_OPEN)
		drop_old(reader, stack);
	switch (event->kind) {
	case CUAUDIT_TRACE_RANGE_PUSH:
		push(reader, stack, event);
		break;
	case CUAUDIT_TRACE_RANGE_IS_OPEN:
		is_open(reader, stack, event);
		break;
	case CUAUDIT_TRACE_RANGE_POP:
		pop(reader, stack, event);
		break;
	case CUAUDIT_TRACE_RANGE_RESET:
		stack->old = (uint32_t)stack->count;
		stack->reset = event->ticks;
		break;
	case CUAUDIT_TRACE_RANGE_START:
	case CUAUDIT_TRACE_RANGE_FINISH:
		start_or_finish(reader, event);
		break;
	case CUAUDIT_TRACE_RANGE_MARK:
		add(reader, event, event->ticks, CUAUDIT_TRACE_RANGE_MARK);
		break;
	default:
		reader->ranges->damaged++;
	}
}

/* For trace_walk: a record of a range, of which no word is missing. */
static void on_range(struct trace_walk *walk, const uint64_t *record)
{
	struct reader *reader = walk->range_data;
	const uint64_t *at = record + 2, *end = walk->at;
	uint32_t what = record[0] >> WHAT_SHIFT & 255;
	struct event event = {
		.ticks = walk->last, .thread = walk->thread, .text = "",
		.kind = record[0] >> EVENT_SHIFT & 15, .what = what,
		.payload_type = record[0] >> PAYLOAD_SHIFT & 15,
		.domain = (uint32_t)record[1], .category = (uint32_t)(record[1] >> 32),
	};
	int words = __builtin_popcount(what & (CUAUDIT_TRACE_RANGE_TICKS | CUAUDIT_TRACE_RANGE_ID |
					       CUAUDIT_TRACE_RANGE_COLOUR | CUAUDIT_TRACE_RANGE_PAYLOAD));

	at += record[0] >> 8 & CUAUDIT_TRACE_LONG ? 1 : 0;
	if (end - at < words) {
		reader->ranges->damaged++;
		return;
	}
	event.began = what & CUAUDIT_TRACE_RANGE_TICKS ? *at++ : event.ticks;
	event.id = what & CUAUDIT_TRACE_RANGE_ID ? *at++ : 0;
	event.colour = what & CUAUDIT_TRACE_RANGE_COLOUR ? (uint32_t)*at++ : 0;
	event.payload = what & CUAUDIT_TRACE_RANGE_PAYLOAD ? *at++ : 0;
	if (what & CUAUDIT_TRACE_RANGE_TEXT && at < end) {
		event.text = (const char *)at;
		event.length = strnlen(event.text, (size_t)(end - at) * 8);
	}
	take(reader, &event);
}

/* A call that had not ended was seen as well. */
static void see(struct reader *reader, const struct trace_chunk *chunk, const struct trace_walk *walk)
{
	struct stack *stack = stack_of(reader, walk->thread);
	uint64_t ticks = walk->last;

	if ((int64_t)(ticks - reader->last) > 0)
		reader->last = ticks;
	/* The innermost first. */
	for (uint32_t i = CUAUDIT_TRACE_OPEN; i-- > 0;) {
		if (!chunk->open[i].ticks)
			continue;
		if ((int64_t)(chunk->open[i].ticks - reader->last) > 0)
			reader->last = chunk->open[i].ticks;
		if (stack)
			cross(reader, stack, chunk->open[i].ticks, false);
	}
}

static int by_sequence(const void *a, const void *b)
{
	const struct trace_chunk *const *x = a, *const *y = b;

	return ORDER((*x)->sequence, (*y)->sequence);
}

/* A thread that took over a chunk goes on in one of a higher sequence. */
static int walk_all(struct reader *reader)
{
	const struct trace *trace = reader->trace;
	const struct trace_chunk **chunks = calloc(trace->nchunks + 1, sizeof(*chunks));
	size_t window = trace_window(trace);
	void *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call;
	int error = chunks && buffer ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < trace->nchunks; i++)
		chunks[i] = &trace->chunks[i];
	if (!error) {
		qsort(chunks, trace->nchunks, sizeof(*chunks), by_sequence);
		trace_walk_begin(&walk, trace, buffer, window);
		walk.on_range = on_range;
		walk.range_data = reader;
	}
	for (size_t i = 0; !error && i < trace->nchunks; i++) {
		trace_walk_chunk(&walk, (size_t)(chunks[i] - trace->chunks));
		while (trace_walk_next(&walk, &call)) {
			struct stack *stack = stack_of(reader, call.thread);

			if (stack)
				cross(reader, stack, call.start, true);
		}
		see(reader, chunks[i], &walk);
		error = reader->ranges->error ?: walk.error;
	}
	free(buffer);
	free(chunks);
	return error;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) > 0 ? a : b;
}

/* Until when what is open has lasted: as trace_until of calls. */
static uint64_t until(const struct reader *reader)
{
	const struct trace *trace = reader->trace;
	struct timespec time;
	uint64_t now;

	if (trace_ending(&trace->header) == TRACE_RUNS && !clock_gettime(CLOCK_REALTIME, &time)) {
		now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
		return later(trace->start_ticks + (uint64_t)trace_ticks_since(trace, now), reader->last);
	}
	return later(trace->header.end_ticks, reader->last);
}

static void end_unfinished(struct reader *reader)
{
	uint64_t end = until(reader);

	for (size_t i = 0; i < reader->stacks.count; i++) {
		struct stack *stack = table_row(&reader->stacks, (uint32_t)i);

		if (stack->old)
			drop_old(reader, stack);
		for (size_t j = 0; j < stack->count; j++) {
			struct trace_range *range = &reader->ranges->ranges[stack->ranges[j]];
			const struct trace_thread *thread = trace_thread(reader->trace, range->thread);

			range->end = thread && thread->end ? later(thread->end, range->start) : end;
		}
		free(stack->ranges);
		free(stack->popped);
	}
	for (size_t i = 0; i < reader->ranges->count; i++) {
		struct trace_range *range = &reader->ranges->ranges[i];

		if (range->event == CUAUDIT_TRACE_RANGE_START && range->flags & TRACE_RANGE_UNFINISHED)
			range->end = end;
		/* The counters of two processors may differ a little. */
		range->end = later(range->end, range->start);
	}
}

static void resolve(struct trace_ranges *ranges, const struct trace *trace)
{
	for (size_t i = 0; i < ranges->count; i++) {
		struct trace_range *range = &ranges->ranges[i];
		uint32_t domain = range->domain_number;

		range->text = text_of(ranges, range->text_number);
		range->domain = domain == UINT32_MAX ? "(unknown domain)" : !domain ? "" :
				trace_name(trace, CUAUDIT_TRACE_NAME_DOMAIN, domain, 0);
		range->category = !range->category_number ? "" :
				  trace_name(trace, CUAUDIT_TRACE_NAME_CATEGORY, domain,
					     range->category_number);
	}
}

static int by_end(const void *a, const void *b, void *data)
{
	const struct trace_range *x = (const struct trace_range *)data + *(const uint32_t *)a;
	const struct trace_range *y = (const struct trace_range *)data + *(const uint32_t *)b;

	return ORDER(x->end, y->end) ?: ORDER(y->start, x->start) ?: ORDER(y->depth, x->depth);
}

static int by_thread(const void *a, const void *b)
{
	const struct trace_range_change *x = a, *y = b;

	return ORDER(x->thread, y->thread) ?: ORDER(x->ticks, y->ticks) ?:
	       ORDER(x->number, y->number);
}

static int sort_all(struct trace_ranges *ranges)
{
	ranges->order = calloc(ranges->count + 1, sizeof(*ranges->order));
	if (!ranges->order)
		return -ENOMEM;
	for (size_t i = 0; i < ranges->count; i++)
		ranges->order[i] = (uint32_t)i;
	if (ranges->count)
		qsort_r(ranges->order, ranges->count, sizeof(*ranges->order), by_end, ranges->ranges);
	if (ranges->nchanges)
		qsort(ranges->changes, ranges->nchanges, sizeof(*ranges->changes), by_thread);
	return 0;
}

int trace_ranges_read(struct trace_ranges *ranges, const struct trace *trace)
{
	struct reader reader = {
		.ranges = ranges, .trace = trace, .stacks = { .row = sizeof(struct stack) },
		.started = { .row = sizeof(uint32_t) }, .last = trace->start_ticks,
	};
	int error;

	*ranges = (struct trace_ranges){ .texts = { .row = 1 } };
	if (!(trace->header.incompatible & CUAUDIT_TRACE_HAS_RANGES))
		return 0;
	error = walk_all(&reader);
	end_unfinished(&reader);
	if (!error)
		resolve(ranges, trace);
	error = error ?: ranges->error ?: sort_all(ranges);
	table_free(&reader.stacks);
	table_free(&reader.started);
	return error;
}

void trace_ranges_free(struct trace_ranges *ranges)
{
	free(ranges->ranges);
	free(ranges->order);
	free(ranges->changes);
	table_free(&ranges->texts);
	*ranges = (struct trace_ranges){ .count = 0 };
}

uint32_t trace_ranges_at(const struct trace_ranges *ranges, uint32_t thread, uint64_t ticks)
{
	const struct trace_range_change *changes = ranges->changes;
	size_t at = FIRST(ranges->nchanges, i, changes[i].thread < thread ||
			  (changes[i].thread == thread && changes[i].ticks <= ticks));

	uint32_t found = at && changes[at - 1].thread == thread ? changes[at - 1].range : TRACE_NONE;

	/* Of one that was never popped it may be known that it was not open any more. */
	while (found != TRACE_NONE && (int64_t)(ranges->ranges[found].end - ticks) < 0)
		found = ranges->ranges[found].parent;
	return found;
}

bool *trace_ranges_match(const struct trace_ranges *ranges, const char *glob, bool *pushed)
{
	bool *texts = calloc(ranges->texts.count + 1, sizeof(*texts));

	for (uint32_t i = 0; texts && i < ranges->texts.count; i++)
		texts[i] = glob_matches(glob, strlen(glob), text_of(ranges, i));
	for (size_t i = 0; texts && i < ranges->count; i++)
		*pushed |= ranges->ranges[i].event == CUAUDIT_TRACE_RANGE_PUSH &&
			   texts[ranges->ranges[i].text_number];
	return texts;
}

bool trace_ranges_take(const struct trace_ranges *ranges, const bool *texts, uint32_t thread,
		       uint64_t ticks)
{
	uint32_t at = trace_ranges_at(ranges, thread, ticks);

	for (; at != TRACE_NONE; at = ranges->ranges[at].parent)
		if (texts[ranges->ranges[at].text_number] &&
		    (int64_t)(ranges->ranges[at].end - ticks) >= 0)
			return true;
	return false;
}

const char *trace_range_category(const struct trace_range *range, char text[TRACE_RANGE_WORD])
{
	if (*range->category || !range->category_number)
		return range->category;
	snprintf(text, TRACE_RANGE_WORD, "%" PRIu32, range->category_number);
	return text;
}

void trace_range_colour(const struct trace_range *range, char text[TRACE_RANGE_WORD])
{
	*text = '\0';
	if (range->flags & TRACE_RANGE_COLOUR)
		snprintf(text, TRACE_RANGE_WORD, "#%08" PRIx32, range->colour);
}

void trace_range_payload(const struct trace_range *range, char *text, size_t size)
{
	uint64_t bits = range->payload;
	uint32_t low = (uint32_t)bits;
	double number;
	float small;

	switch (range->payload_type) {
	case CUAUDIT_TRACE_RANGE_UINT64:
	case CUAUDIT_TRACE_RANGE_UINT32:
		snprintf(text, size, "%" PRIu64, bits);
		break;
	case CUAUDIT_TRACE_RANGE_INT64:
		snprintf(text, size, "%" PRId64, (int64_t)bits);
		break;
	case CUAUDIT_TRACE_RANGE_INT32:
		snprintf(text, size, "%" PRId32, (int32_t)low);
		break;
	case CUAUDIT_TRACE_RANGE_DOUBLE:
		memcpy(&number, &bits, sizeof(number));
		snprintf(text, size, "%.17g", number);
		break;
	case CUAUDIT_TRACE_RANGE_FLOAT:
		memcpy(&small, &low, sizeof(small));
		snprintf(text, size, "%.9g", (double)small);
		break;
	default:
		*text = '\0';
	}
}

const char *trace_range_event_name(const struct trace_range *range)
{
	return range->event == CUAUDIT_TRACE_RANGE_PUSH ? "push" :
	       range->event == CUAUDIT_TRACE_RANGE_START ? "start" : "mark";
}
