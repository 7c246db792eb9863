/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by the size of a number: stat's buckets, only those that are needed. */
#include "analysis/histogram.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 8 };	/* buckets of an octave: what comes or goes at a time */

bool histogram_reach(struct histogram *histogram, uint32_t bucket)
{
	uint32_t first = bucket & ~(STEP - 1u), end = first + STEP;
	uint64_t *counts;

	if (histogram->size) {
		first = first < histogram->first ? first : histogram->first;
		if (end < (uint32_t)histogram->first + histogram->size)
			end = (uint32_t)histogram->first + histogram->size;
	}
	counts = calloc(end - first, sizeof(*counts));
	if (!counts)
		return false;
	if (histogram->size)
		memcpy(counts + (histogram->first - first), histogram->counts,
		       histogram->size * sizeof(*counts));
	free(histogram->counts);
	histogram->counts = counts;
	histogram->first = (uint16_t)first;
	histogram->size = (uint16_t)(end - first);
	return true;
}

bool histogram_merge(struct histogram *histogram, const struct histogram *from)
{
	if (!from->size)
		return true;
	if (!histogram_reach(histogram, from->first) ||
	    !histogram_reach(histogram, from->first + from->size - 1u))
		return false;
	for (uint32_t i = 0; i < from->size; i++)
		histogram->counts[from->first - histogram->first + i] += from->counts[i];
	return true;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram){ .counts = NULL };
}
