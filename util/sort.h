/* SPDX-License-Identifier: Apache-2.0 */
/* A sort that takes no memory: the C library's may call malloc. */
#ifndef UTIL_SORT_H
#define UTIL_SORT_H

#include <stddef.h>

typedef int (*sort_compare_fn)(const void *a, const void *b);

/* Heapsort; not stable, so compare should leave no two items equal. */
void sort(void *items, size_t count, size_t size, sort_compare_fn compare);

/* The first of count indices i, called at, for which below is false: it is true of those before. */
#define FIRST(count, at, below) __extension__({ \
	size_t low_ = 0, high_ = (count); \
	while (low_ < high_) { \
		size_t at = low_ + (high_ - low_) / 2; \
		if (below) \
			low_ = at + 1; \
		else \
			high_ = at; \
	} \
	low_; \
})

/* What comparing two numbers of one type returns; ORDER(b, a) puts the larger one first. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
