/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by the size of a number: stat's buckets, only those that are needed. */
#ifndef ANALYSIS_HISTOGRAM_H
#define ANALYSIS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/stat.h>

/* Zeroed, it is empty. */
struct histogram {
	uint64_t *counts;	/* of buckets first, first + 1, ... */
	uint16_t first, size;
};

/* Makes room for a bucket; false when memory is out. */
bool histogram_reach(struct histogram *histogram, uint32_t bucket);

/* One more number; false when memory is out. */
static inline bool histogram_add(struct histogram *histogram, uint64_t number)
{
	uint32_t bucket = cuaudit_stat_bucket(number);

	if (__builtin_expect(bucket - histogram->first >= histogram->size, 0) &&
	    !histogram_reach(histogram, bucket))
		return false;
	histogram->counts[bucket - histogram->first]++;
	return true;
}

/* Adds all of from; false when memory is out. */
bool histogram_merge(struct histogram *histogram, const struct histogram *from);

/* How many numbers are in a bucket. */
static inline uint64_t histogram_count(const struct histogram *histogram, uint32_t bucket)
{
	uint32_t at = bucket - histogram->first;

	return at < histogram->size ? histogram->counts[at] : 0;
}

/* The middle of a bucket; the last one has no end. */
static inline uint64_t histogram_middle(uint32_t bucket)
{
	return bucket == CUAUDIT_STAT_BUCKETS - 1 ? UINT64_MAX :
	       (cuaudit_stat_floor(bucket) + cuaudit_stat_floor(bucket + 1)) / 2;
}

/* The middle of the bucket that holds the percent-th of a hundred numbers; 0 if there are none. */
static inline uint64_t histogram_percentile(const struct histogram *histogram,
					    unsigned int percent)
{
	uint64_t count = 0, rank;
	uint32_t i;

	for (i = 0; i < histogram->size; i++)
		count += histogram->counts[i];
	if (!count)
		return 0;
	rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
	for (i = 0, count = histogram->counts[0]; count < rank; count += histogram->counts[++i])
		;
	return histogram_middle(histogram->first + i);
}

void histogram_free(struct histogram *histogram);

#endif
