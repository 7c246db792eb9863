/* SPDX-License-Identifier: Apache-2.0 */
/* Which time of a thread is whose: each moment is the innermost call's. */
#ifndef EXPORT_HTML_SELF_TIME_H
#define EXPORT_HTML_SELF_TIME_H

#include <stdint.h>

enum { SELF_TIME_CALLS = 64 };

/* All zero in the beginning. */
struct self_time {
	uint64_t floor;		/* all before it is given out */
	struct {
		uint64_t from, to;
	} inner[SELF_TIME_CALLS];	/* given out, and perhaps within a call to come */
	uint32_t count;
};

typedef void (*self_time_fn)(void *data, uint64_t from, uint64_t to);

/*
 * A call, in the order of ends: gives out the time that no call before had.
 * What is given out never overlaps, whatever calls are given.
 */
void self_time_call(struct self_time *time, uint64_t from, uint64_t to, uint32_t depth, self_time_fn give,
		void *data);

#endif
