/* SPDX-License-Identifier: Apache-2.0 */
/* The NVTX ranges of a trace: all in memory, some 100 bytes each. */
#ifndef TRACEFILE_RANGES_H
#define TRACEFILE_RANGES_H

#include "tracefile/tracefile.h"
#include "util/hash_table.h"

enum trace_range_flags {
	TRACE_RANGE_CUT = 1,		/* the text was longer */
	TRACE_RANGE_COLOUR = 2,
	TRACE_RANGE_UNFINISHED = 4,	/* its end is not recorded; end is when it was last known to be open */
	TRACE_RANGE_CROSSING = 8	/* pushed: it ended before one inside of it, of another domain, or a call is around one end alone */
};

struct trace_range {
	uint64_t start, end;	/* ticks; of a mark the same */
	uint64_t id;		/* of one that was started, else 0 */
	uint64_t payload;
	const char *text;	/* of the trace_ranges, as the other texts */
	const char *domain;	/* "" for NVTX's default */
	const char *category;	/* its name, "" for none */
	uint32_t text_number;	/* equal texts have the same */
	uint32_t category_number;	/* 0: none */
	uint32_t thread;	/* on which it began; 0: that is not recorded */
	uint32_t end_thread;
	uint32_t parent;	/* pushed: inside of which one, or TRACE_NONE */
	uint32_t colour;
	uint32_t domain_number;
	uint16_t depth;		/* pushed: how many were open around it */
	uint8_t event;		/* enum cuaudit_trace_range_event: PUSH, START or MARK */
	uint8_t flags;		/* enum trace_range_flags */
	uint8_t payload_type;	/* enum cuaudit_trace_range_payload */
};

/* From when on a range is a thread's innermost one. */
struct trace_range_change {
	uint64_t ticks;
	uint32_t thread;
	uint32_t range;		/* or TRACE_NONE */
	size_t number;		/* in the order of the file */
};

struct trace_ranges {
	struct trace_range *ranges;
	size_t count, room;
	uint32_t *order;	/* of them, by their ends */
	struct trace_range_change *changes;	/* by thread, then in time */
	size_t nchanges, changes_room;
	struct table texts;
	uint64_t damaged;	/* records that made no sense, and are left out */
	int error;
};

/*
 * Reads them, in a pass through the file if it has any. 0 or -errno; trace_ranges_free in
 * both cases. The trace's texts have to stay.
 */
int trace_ranges_read(struct trace_ranges *ranges, const struct trace *trace);
void trace_ranges_free(struct trace_ranges *ranges);

/* The innermost range that a thread had pushed and not popped at that time; TRACE_NONE. */
uint32_t trace_ranges_at(const struct trace_ranges *ranges, uint32_t thread, uint64_t ticks);

/* Which texts a glob takes, by number; pushed: set if a range that was pushed has one. NULL when memory is out. */
bool *trace_ranges_match(const struct trace_ranges *ranges, const char *glob, bool *pushed);

/* Whether a call that began then was in a range of such a text. */
bool trace_ranges_take(const struct trace_ranges *ranges, const bool *texts, uint32_t thread,
		       uint64_t ticks);

/* The payload as people read it; at least 32 bytes. "" if there is none. */
void trace_range_payload(const struct trace_range *range, char *text, size_t size);

enum { TRACE_RANGE_WORD = sizeof("4294967295") };	/* or "#aarrggbb" */

/* Its category's name, or its number, in `text`, where that has none; "" for no category. */
const char *trace_range_category(const struct trace_range *range, char text[TRACE_RANGE_WORD]);

/* "#aarrggbb", or "" if it has none. */
void trace_range_colour(const struct trace_range *range, char text[TRACE_RANGE_WORD]);

/* Of an id, without the bits that all have. */
#define TRACE_RANGE_ID ((UINT64_C(1) << 62) - 1)

/* "push", "start" or "mark". */
const char *trace_range_event_name(const struct trace_range *range);

#endif
