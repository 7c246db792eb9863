/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds, and what stands for many of them. */
#ifndef T_BENCH_TIMES_H
#define T_BENCH_TIMES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static inline int times_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), times_compare);
	return values[count / 2];
}

#ifdef __x86_64__
/* Two reads of the clock that the statistics read, with nothing between. */
static inline double time_clocks(int count)
{
	double start = now();
	uint64_t sum = 0;

	for (int i = 0; i < count; i++) {
		sum -= __builtin_ia32_rdtsc();
		sum += __builtin_ia32_rdtsc();
	}
	__asm__ volatile("" : : "r"(sum));
	return (now() - start) / count;
}
#endif

#endif
