/* SPDX-License-Identifier: Apache-2.0 */
/* Which time of a thread is whose: each moment is the innermost call's. */
#ifndef EXPORT_HTML_SELF_TIME_H
#define EXPORT_HTML_SELF_TIME_H

#include <stdint.h>

enum { COVER_INNER = 64 };

/* All zero in the beginning. */
struct self_time {
	uint64_t floor;		/* all before it is told */
	struct {
		uint64_t from, to;
	} inner[COVER_INNER];	/* told already, and perhaps within a call to come */
	uint32_t count;
};

typedef void (*self_time_fn)(void *data, uint64_t from, uint64_t to);

/*
 * A call, in the order of ends: tells of the time that no call before had.
 * What is told never overlaps, whatever calls are given.
 */
void self_time_call(struct self_time *cover, uint64_t from, uint64_t to, uint32_t depth, self_time_fn tell,
		void *data);

#endif
