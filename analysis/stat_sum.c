/* SPDX-License-Identifier: Apache-2.0 */
/* Cells added up, and what they say in nanoseconds. */
#include "analysis/stat_sum.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/stat_records.h"

const struct sum_bound sum_bounds[SUM_BOUNDS] = {
	{ 100, "1e-07" },	{ 500, "5e-07" },
	{ 1000, "1e-06" },	{ 5000, "5e-06" },
	{ 10000, "1e-05" },	{ 50000, "5e-05" },
	{ 100000, "0.0001" },	{ 500000, "0.0005" },
	{ 1000000, "0.001" },	{ 5000000, "0.005" },
	{ 10000000, "0.01" },	{ 50000000, "0.05" },
	{ 100000000, "0.1" },	{ 500000000, "0.5" },
	{ 1000000000, "1.0" },	{ 5000000000, "5.0" },
	{ 10000000000, "10.0" }
};

uint64_t sum_ns(const struct cuaudit_stat_header *header, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * header->clock_mult;

	ns >>= header->clock_shift & 63;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

void sum_clear(struct sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->min = UINT64_MAX;
}

void sum_add(struct sum *sum, const struct cuaudit_stat_cell *cell)
{
	const uint32_t *buckets = records_buckets(cell);

	sum->calls += cell->calls;
	sum->errors += cell->errors;
	sum->not_ready += cell->not_ready;
	sum->total += cell->total;
	sum->squares += cell->squares;
	if (cell->min < sum->min)
		sum->min = cell->min;
	if (cell->max > sum->max)
		sum->max = cell->max;
	for (int i = 0; buckets && i < CUAUDIT_STAT_BUCKETS; i++)
		sum->buckets[i] += buckets[i];
}

/* Nanoseconds a tick; never 0. */
static double tick(const struct cuaudit_stat_header *header)
{
	uint32_t shift = header->clock_shift & 63;

	return header->clock_mult ? (double)header->clock_mult / (double)((uint64_t)1 << shift) : 1;
}

static uint64_t scaled(uint64_t ticks, double scale)
{
	double value = (double)ticks * scale + 0.5;

	return value < 18e18 ? (uint64_t)value : UINT64_MAX;
}

/* Clocks that were measured at different times differ a little: no bucket's worth. */
static void add_buckets(struct sum *sum, const uint32_t *buckets, double scale)
{
	bool same = scale > 0.99 && scale < 1.01;

	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
		uint64_t ticks = i < CUAUDIT_STAT_BUCKETS - 1 ? histogram_middle(i) :
							      cuaudit_stat_floor(i);

		if (buckets[i])
			sum->buckets[same ? i : cuaudit_stat_bucket(scaled(ticks, scale))] +=
				buckets[i];
	}
}

void sum_add_of(struct sum *sum, const struct cuaudit_stat_cell *cell,
		const struct cuaudit_stat_header *own, const struct cuaudit_stat_header *header)
{
	const uint32_t *buckets = records_buckets(cell);
	double scale = tick(own) / tick(header);

	if (own->clock_mult == header->clock_mult && own->clock_shift == header->clock_shift) {
		sum_add(sum, cell);
		return;
	}
	sum->calls += cell->calls;
	sum->errors += cell->errors;
	sum->not_ready += cell->not_ready;
	sum->other_ns += sum_ns(own, cell->total);
	sum->other += (double)cell->total * scale;
	sum->squares += cell->squares * scale * scale;
	if (scaled(cell->min, scale) < sum->min)
		sum->min = scaled(cell->min, scale);
	if (scaled(cell->max, scale) > sum->max)
		sum->max = scaled(cell->max, scale);
	if (buckets)
		add_buckets(sum, buckets, scale);
}

/*
 * A bound lies inside of a bucket, whose calls count as if they had all taken
 * its middle. Not more than all calls, of whom some may not be in a bucket yet.
 */
static void fill_within(const struct sum *sum, const struct cuaudit_stat_header *header,
			struct report_row *row)
{
	uint64_t count = 0;
	uint32_t bucket = 0;

	for (int i = 0; i < SUM_BOUNDS; i++) {
		while (bucket < CUAUDIT_STAT_BUCKETS - 1 &&
		       sum_ns(header, histogram_middle(bucket)) <= sum_bounds[i].ns)
			count += sum->buckets[bucket++];
		row->within[i] = count < sum->calls ? count : sum->calls;
	}
}

/* The middle of the bucket that holds the percent-th of a hundred calls. */
static uint64_t percentile(struct sum *sum, unsigned int percent)
{
	const struct histogram all = { .counts = sum->buckets, .size = CUAUDIT_STAT_BUCKETS };
	uint64_t ticks = histogram_percentile(&all, percent);

	ticks = ticks < sum->min ? sum->min : ticks;
	return ticks > sum->max ? sum->max : ticks;
}

/* sqrt without the mathematics library, by Newton's method from above. */
static double root(double square)
{
	double guess = square > 1 ? square : 1;

	for (double next; (next = (guess + square / guess) / 2) < guess;)
		guess = next;
	return guess;
}

/* Of a sample, in ticks; 0 where the sums make no sense. */
static double deviation(const struct sum *sum)
{
	double calls = (double)sum->calls, total = (double)sum->total + sum->other;
	double variance;

	if (sum->calls < 2)
		return 0;
	variance = (sum->squares - total / calls * total) / (calls - 1);
	return variance > 0 && variance < 1e38 ? root(variance) : 0;
}

void sum_row(struct sum *sum, const struct cuaudit_stat_header *header,
	     struct report_row *row)
{
	struct row_times *times = &row->times;

	times->calls = sum->calls;
	times->errors = sum->errors;
	times->not_ready = sum->not_ready;
	if (!(header->flags & CUAUDIT_STAT_TIMED) || !sum->calls)
		return;
	times->total = sum_ns(header, sum->total) + sum->other_ns;
	/* A first call cut short has no minimum yet. */
	times->min = sum_ns(header, sum->min < sum->max ? sum->min : sum->max);
	times->p50 = sum_ns(header, percentile(sum, 50));
	times->p99 = sum_ns(header, percentile(sum, 99));
	times->max = sum_ns(header, sum->max);
	times->avg = (times->total + sum->calls / 2) / sum->calls;
	times->stddev = sum_ns(header, (uint64_t)(deviation(sum) + 0.5));
	fill_within(sum, header, row);
}
