/* SPDX-License-Identifier: Apache-2.0 */
/* A sort that takes no memory: the C library's may call malloc. */
#include "util/sort.h"

static void swap(char *a, char *b, size_t size)
{
	while (size--) {
		char c = *a;

		*a++ = *b;
		*b++ = c;
	}
}

static void sift(char *items, size_t root, size_t count, size_t size, sort_compare_fn compare)
{
	for (size_t child; (child = 2 * root + 1) < count; root = child) {
		if (child + 1 < count &&
		    compare(items + child * size, items + (child + 1) * size) < 0)
			child++;
		if (compare(items + root * size, items + child * size) >= 0)
			return;
		swap(items + root * size, items + child * size, size);
	}
}

void sort(void *items, size_t count, size_t size, sort_compare_fn compare)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(items, i, count, size, compare);
	for (size_t i = count; i-- > 1;) {
		swap(items, (char *)items + i * size, size);
		sift(items, 0, i, size, compare);
	}
}
