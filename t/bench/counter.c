/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the processor's counter waits for reads that are under way: what a
 * read that misses the caches takes alone, and followed by the counter. Where
 * it waits, as an LFENCE does, each timed call of a program costs what the
 * program's own reads would have overlapped with. One JSON line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "times.h"

enum { WORDS = 1 << 25, TIMES = 1000000, ROUNDS = 9 };

static uint64_t *words, sum;

#define COUNTER __asm__ volatile("rdtsc" : : : "rax", "rdx")
#define FENCE __asm__ volatile("lfence" : : : "memory")

/* Reads at random places, none of which another one waits for. */
#define MEASURE(name, before, after) \
	static double name(void) \
	{ \
		uint64_t place = 12345; \
		double start = now(); \
		for (int i = 0; i < TIMES; i++) { \
			place = place * 6364136223846793005u + 1442695040888963407u; \
			before; \
			after; \
		} \
		return (now() - start) / TIMES; \
	}
#define READ sum += words[place >> 39]
MEASURE(reads, READ, )
MEASURE(counted, READ, COUNTER)
MEASURE(fenced, READ, FENCE)
MEASURE(counter, , COUNTER)

int main(void)
{
	double (*const measures[])(void) = { reads, counted, fenced, counter };
	double times[4][ROUNDS];

	words = malloc(WORDS * sizeof(*words));
	if (!words)
		return 1;
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = i;
	for (int i = 0; i < ROUNDS; i++)
		for (int j = 0; j < 4; j++)
			times[j][i] = measures[j]();
	printf("{\"measure\":\"reads that miss\",\"read_ns\":%.1f,\"read_and_counter_ns\":%.1f,"
	       "\"read_and_lfence_ns\":%.1f,\"counter_ns\":%.1f}\n", median(times[0], ROUNDS),
	       median(times[1], ROUNDS), median(times[2], ROUNDS), median(times[3], ROUNDS));
	return 0;
}
