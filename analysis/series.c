/* SPDX-License-Identifier: Apache-2.0 */
/* A quantity over time, in a bounded number of steps of equal length. */
#include "analysis/series.h"

#include <errno.h>
#include <stdlib.h>

int series_begin(struct series *series, size_t limit, uint64_t start, uint64_t step)
{
	*series = (struct series){
		.points = calloc(limit, sizeof(*series->points)),
		.limit = limit,
		.start = start,
		.step = step ? step : 1,
	};
	return series->points ? 0 : -ENOMEM;
}

/* Steps of twice the length. */
static void fold(struct series *series)
{
	for (size_t i = 0; i < series->count; i += 2) {
		uint64_t first = series->points[i];
		uint64_t second = i + 1 < series->count ? series->points[i + 1] : 0;

		series->points[i / 2] = first > second ? first : second;
	}
	series->count = (series->count + 1) / 2;
	series->step *= 2;
}

void series_set(struct series *series, uint64_t time, uint64_t value)
{
	uint64_t since = time > series->start ? time - series->start : 0;

	while (since / series->step >= series->limit)
		fold(series);
	while (series->count <= since / series->step)
		series->points[series->count++] = series->now;
	series->now = value;
	if (value > series->points[series->count - 1])
		series->points[series->count - 1] = value;
}
