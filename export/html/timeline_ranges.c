/* SPDX-License-Identifier: Apache-2.0 */
/* The NVTX ranges that the timeline shows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/html/timeline.h"
#include "tracefile/ranges.h"
#include "util/bytes.h"
#include "util/sort.h"

static int longest_first(const void *a, const void *b)
{
	const struct timeline_range *x = a, *y = b;

	return ORDER(y->duration, x->duration) ?: ORDER(x->process, y->process) ?:
	       ORDER(x->start, y->start) ?: ORDER(x->row, y->row) ?: ORDER(x->depth, y->depth);
}

static int by_row(const void *a, const void *b)
{
	const struct timeline_range *x = a, *y = b;

	return ORDER(x->process, y->process) ?: ORDER(x->row, y->row) ?: ORDER(x->start, y->start) ?:
	       ORDER(y->duration, x->duration) ?: ORDER(x->depth, y->depth);
}

static void keep_longest(struct timeline *timeline)
{
	if (timeline->nranges <= TIMELINE_RANGES)
		return;
	qsort(timeline->ranges, timeline->nranges, sizeof(*timeline->ranges), longest_first);
	timeline->hidden_ranges += timeline->nranges - TIMELINE_RANGES;
	timeline->nranges = TIMELINE_RANGES;
}

/* A text is cut where a character begins. */
static uint32_t text_of(struct timeline *timeline, const char *text)
{
	char cut[TIMELINE_RANGE_TEXT + 1];
	size_t length = strnlen(text, TIMELINE_RANGE_TEXT);

	while (text[length] && length && (text[length] & 0xc0) == 0x80)
		length--;
	memcpy(cut, text, length);
	cut[length] = '\0';
	return table_text(&timeline->range_texts, cut);
}

static int add(struct timeline *timeline, const struct timeline_range *range)
{
	struct timeline_range *grown;

	if (timeline->nranges >= 2 * TIMELINE_RANGES)
		keep_longest(timeline);
	grown = bytes_grown(timeline->ranges, &timeline->ranges_room, timeline->nranges, sizeof(*grown));
	if (!grown || range->text == TABLE_NONE)
		return -ENOMEM;
	timeline->ranges = grown;
	grown[timeline->nranges++] = *range;
	return 0;
}

static int add_range(struct timeline *timeline, uint32_t process, const struct trace *trace,
		     const struct trace_range *from)
{
	uint64_t start = timeline_at(timeline, trace_ns(trace, from->start));
	struct timeline_range range = {
		.start = start, .duration = timeline_at(timeline, trace_ns(trace, from->end)) - start,
		.process = process, .row = TIMELINE_NO_ROW, .colour = from->colour,
		.depth = from->depth, .event = from->event, .flags = from->flags,
	};
	const struct timeline_thread *thread = timeline_thread(timeline, process, from->thread);

	if (from->event != CUAUDIT_TRACE_RANGE_START) {
		/* Of a thread that called nothing, or has no row of its own. */
		if (!thread || thread->row == TIMELINE_NO_ROW) {
			timeline->hidden_ranges++;
			return 0;
		}
		range.row = thread->row;
	}
	range.text = text_of(timeline, from->text);
	return add(timeline, &range);
}

int timeline_add_ranges(struct timeline *timeline, size_t process, const struct trace *trace)
{
	struct trace_ranges ranges;
	int error = trace_ranges_read(&ranges, trace);

	for (size_t i = 0; !error && i < ranges.count; i++)
		error = add_range(timeline, (uint32_t)process, trace, &ranges.ranges[i]);
	trace_ranges_free(&ranges);
	return error;
}

void timeline_order_ranges(struct timeline *timeline)
{
	keep_longest(timeline);
	if (timeline->nranges)
		qsort(timeline->ranges, timeline->nranges, sizeof(*timeline->ranges), by_row);
}

/* A range is seven numbers: process, row or -1, start, duration, text, event and flags, colour. */
enum { EVENT_SHIFT = 8 };

void timeline_ranges_json(const struct timeline *timeline, struct writer *json)
{
	WRITER_ARRAY(json, "rangeTexts", i, timeline->range_texts.count)
		writer_text(json, NULL, timeline->range_texts.keys[i].bytes);
	WRITER_ARRAY(json, "ranges", i, timeline->nranges) {
		const struct timeline_range *range = &timeline->ranges[i];

		writer_number(json, NULL, range->process);
		writer_signed(json, NULL, range->row == TIMELINE_NO_ROW ? -1 : (int64_t)range->row);
		writer_number(json, NULL, range->start);
		writer_number(json, NULL, range->duration);
		writer_number(json, NULL, range->text);
		writer_number(json, NULL, (uint32_t)range->event << EVENT_SHIFT | range->flags);
		writer_number(json, NULL, range->flags & TRACE_RANGE_COLOUR ? range->colour & 0xffffff : 0);
	}
	writer_number(json, "hiddenRanges", timeline->hidden_ranges);
}
