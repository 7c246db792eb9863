/* SPDX-License-Identifier: Apache-2.0 */
/* Which time of a thread is whose: each moment is the innermost call's. */
#include "export/html/self_time.h"

#include <string.h>

static void keep(struct self_time *cover, uint64_t from, uint64_t to)
{
	if (cover->count == COVER_INNER) {
		cover->floor = cover->inner[0].to;
		memmove(cover->inner, cover->inner + 1,
			(COVER_INNER - 1) * sizeof(cover->inner[0]));
		cover->count--;
	}
	cover->inner[cover->count].from = from;
	cover->inner[cover->count++].to = to;
}

void self_time_call(struct self_time *cover, uint64_t from, uint64_t to, uint32_t depth, self_time_fn tell,
		void *data)
{
	uint64_t at = to;

	if (from < cover->floor)
		from = cover->floor;
	if (to <= from)
		return;
	while (cover->count && cover->inner[cover->count - 1].to > from) {
		uint64_t inner_from = cover->inner[--cover->count].from;
		uint64_t inner_to = cover->inner[cover->count].to;

		if (inner_to < at)
			tell(data, inner_to, at);
		if (inner_from < at)
			at = inner_from;
		if (inner_from < from)
			from = inner_from;
		if (inner_to > to)
			to = inner_to;
	}
	if (from < at)
		tell(data, from, at);
	if (depth) {
		keep(cover, from, to);
	} else {
		cover->count = 0;
		cover->floor = to;
	}
}
