/* SPDX-License-Identifier: Apache-2.0 */
/* The known word nearest to one that is not known. */
#include "util/nearest.h"

#include <stdbool.h>

enum { LONGEST = 64 };

/* The auditor has no libc. */
static size_t length_of(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A word in capitals is the same one. */
static bool same(char a, char b)
{
	return a == b || ((a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/*
 * Letters to add, drop, replace or exchange with their neighbour. Three rows of
 * the table of all beginnings' distances are enough.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3];
		const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = least(least(last[j], row[j - 1]) + 1,
				       last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

const char *nearest(const char *word, size_t length, const char *const *words)
{
	const char *best = NULL;
	size_t limit = length / 2 + 1;

	if (length > LONGEST)
		return NULL;
	for (; *words; words++) {
		size_t other = length_of(*words), far;

		if (other > LONGEST)
			continue;
		far = distance(word, length, *words, other);
		if (far < limit) {
			limit = far;
			best = *words;
		}
	}
	return best;
}
