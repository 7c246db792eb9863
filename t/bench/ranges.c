/* SPDX-License-Identifier: Apache-2.0 */
/* What a push and a pop take, beside reads of the clock; with an argument, what a call takes in a range and out of it. */
#include <stdio.h>
#include <time.h>

#include "t/nvtx/copy.h"

int cuInit(unsigned int flags);
int cuCtxGetCurrent(void **context);

enum { PAIRS = 20000, ROUNDS = 40 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* As the core reads it. */
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value));
	return value;
#endif
}

static double clock_read(void)
{
	double begin = now();
	uint64_t sum = 0;

	for (int i = 0; i < PAIRS; i++)
		sum += ticks();
	__asm__ volatile("" : : "r"(sum));
	return (now() - begin) / PAIRS;
}

static double pair(void)
{
	double begin = now();

	for (int i = 0; i < PAIRS; i++) {
		copy_push("training step");
		copy_pop();
	}
	return (now() - begin) / PAIRS;
}

static double call(void)
{
	double begin = now();
	void *context;

	for (int i = 0; i < PAIRS; i++)
		cuCtxGetCurrent(&context);
	return (now() - begin) / PAIRS;
}

static double least(double (*measured)(void))
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double one = measured();

		best = one < best ? one : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	double read, both;
	int answer = copy_initialize();

	cuInit(0);
	if (argc > 1) {
		double inside, outside = least(call);

		copy_push("training step");
		inside = least(call);
		copy_pop();
		printf("{\"measure\":\"%s, a call in the range and out of it\",\"ns\":%.1f,\"out_of_it_ns\":%.1f}\n",
		       argv[1], inside, outside);
		return 0;
	}
	both = least(pair);
	read = least(clock_read);
	printf("{\"measure\":\"NVTX push and pop, %s\",\"ns\":%.1f,\"clock_read_ns\":%.1f,"
	       "\"of_four_reads\":%.2f}\n",
	       answer > 0 ? "trace" : "no module asks", both, read, both / (4 * read));
	return 0;
}
