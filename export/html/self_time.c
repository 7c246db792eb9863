/* SPDX-License-Identifier: Apache-2.0 */
/* Which time of a thread is whose: each moment is the innermost call's. */
#include "export/html/self_time.h"

#include <string.h>

static void keep(struct self_time *time, uint64_t from, uint64_t to)
{
	if (time->count == SELF_TIME_CALLS) {
		time->floor = time->inner[0].to;
		memmove(time->inner, time->inner + 1,
			(SELF_TIME_CALLS - 1) * sizeof(time->inner[0]));
		time->count--;
	}
	time->inner[time->count].from = from;
	time->inner[time->count++].to = to;
}

void self_time_call(struct self_time *time, uint64_t from, uint64_t to, uint32_t depth, self_time_fn give,
		void *data)
{
	uint64_t at = to;

	if (from < time->floor)
		from = time->floor;
	if (to <= from)
		return;
	while (time->count && time->inner[time->count - 1].to > from) {
		uint64_t inner_from = time->inner[--time->count].from;
		uint64_t inner_to = time->inner[time->count].to;

		if (inner_to < at)
			give(data, inner_to, at);
		if (inner_from < at)
			at = inner_from;
		if (inner_from < from)
			from = inner_from;
		if (inner_to > to)
			to = inner_to;
	}
	if (from < at)
		give(data, from, at);
	if (depth) {
		keep(time, from, to);
	} else {
		time->count = 0;
		time->floor = to;
	}
}
