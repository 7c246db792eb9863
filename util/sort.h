/* SPDX-License-Identifier: Apache-2.0 */
/* A sort that takes no memory: the C library's may call malloc. */
#ifndef UTIL_SORT_H
#define UTIL_SORT_H

#include <stddef.h>

typedef int (*sort_compare_fn)(const void *a, const void *b);

/* Heapsort; not stable, so compare should leave no two items equal. */
void sort(void *items, size_t count, size_t size, sort_compare_fn compare);

/* What comparing two numbers of one type returns; ORDER(b, a) puts the larger one first. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
