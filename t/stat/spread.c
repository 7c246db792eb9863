/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With LIBRARY, one that calls the driver; else a program that calls it, too,
 * on two threads, prints what of each caller's was to be counted (FUNCTION
 * CALLER CALLS ERRORS NOT_READY, nanoseconds they took at least), and kills
 * itself.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "t/trace/driver.h"

int library_init(void);

#ifdef LIBRARY

int library_init(void)
{
	int result = cuInit(1);

	/* So that it returns here. */
	__asm__ volatile("");
	return result;
}

#else

enum { FUNCTIONS = 4, ROUNDS = 600, NOT_READY = 600, OTHER = 700 };

static int init(void)
{
	return cuInit(0);
}

static int query(void)
{
	return cuEventQuery(0);
}

static int launch(void)
{
	static const word given[TRACE_WORDS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	int answer;

	memset(trace_launch, 0, sizeof(trace_launch));
	answer = cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void *)10, (void *)11);
	return answer || !memcmp(trace_launch, given, sizeof(given)) ? answer : 1;
}

static int (*const functions[FUNCTIONS])(void) = { init, query, launch, library_init };
static const char *const names[FUNCTIONS] = {
	"cuInit spread", "cuEventQuery spread", "cuLaunchKernel spread", "cuInit library.so"
};
static uint64_t least[FUNCTIONS];
static int wrong;

/*
 * Times from none at all to half a millisecond, short ones more often, for one function the
 * longest first; each ninth call an error, which is neither the least nor the most.
 */
static uint64_t choose_ns(int f, int round, int answer)
{
	int step = round / 3 % 20;

	if (answer)
		return 4096;
	return round % 3 ? 0 : (uint64_t)1 << (f == 1 ? 19 - step : step);
}

static void *work(void *unused)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int f = 0; f < FUNCTIONS; f++) {
			trace_answer = round % 9 == 4 ? NOT_READY : round % 9 == 8 ? OTHER : 0;
			trace_ns = choose_ns(f, round, trace_answer);
			if (functions[f]() != trace_answer)
				__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&least[f], trace_ns, __ATOMIC_RELAXED);
		}
	return unused;
}

int main(void)
{
	int ready = (ROUNDS + 4) / 9, other = ROUNDS / 9;
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		return 2;
	work(NULL);
	pthread_join(thread, NULL);
	if (wrong)
		return 3;
	for (int f = 0; f < FUNCTIONS; f++)
		printf("%s %d %d %d %llu\n", names[f], 2 * ROUNDS, f == 1 ? 2 * other : 2 * (ready + other),
		       f == 1 ? 2 * ready : 0, (unsigned long long)least[f]);
	fflush(stdout);
	raise(SIGKILL);
	return 4;
}

#endif
