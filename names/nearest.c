/* SPDX-License-Identifier: Apache-2.0 */
/* The known word nearest to one that is not known. */
#include "names/nearest.h"

#include <string.h>

enum { LONGEST = 64 };

/* Levenshtein's distance, one row at a time. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[LONGEST + 1];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_length];
}

const char *nearest(const char *word, size_t length, const char *const *words)
{
	const char *best = NULL;
	size_t least = length / 2 + 1;

	if (length > LONGEST)
		return NULL;
	for (; *words; words++) {
		size_t other = strlen(*words), far;

		if (other > LONGEST)
			continue;
		far = distance(word, length, *words, other);
		if (far < least) {
			least = far;
			best = *words;
		}
	}
	return best;
}
