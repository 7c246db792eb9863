/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the fake driver whose results are printed, one word each:
 *   alloc SIZE...     cuMemAlloc_v2, of main or of libasker.so (after "lib")
 *   many THREADS N    each thread allocates N times; prints how many failed
 *   each              one call of everything conditions can ask about
 *   delay N           N calls under a timer's signals; prints ms and errno
 *   fork              three calls, then three in a child, then one
 *   lookup            cuGetProcAddress
 * Prints in the end how many allocations reached the driver.
 */
#include "t/fake/driver.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int library_alloc(size_t size);

static int alloc(size_t size)
{
	unsigned long long pointer;

	return cuMemAlloc_v2(&pointer, size);
}

static pthread_barrier_t start;
static int per_thread;
static _Atomic int failed;

static void *work(void *data)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < per_thread; i++)
		if (alloc(8))
			failed++;
	return data;
}

static void many(int threads)
{
	pthread_t ids[64];

	pthread_barrier_init(&start, NULL, (unsigned int)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("%d", failed);
}

/* Integers of every width, also where they lie on the stack or behind a structure. */
static void each(void)
{
	/* The upper half of a word is not the argument's. */
	int (*init)(unsigned long) = (int (*)(unsigned long))(void *)cuInit;
	struct fake_handle handle;
	unsigned long long pointer;
	void *address;
	int status;

	for (int i = 0; i < 64; i++)
		handle.bytes[i] = (unsigned char)(i + 1);
	printf("%d ", init(0xdeadbeef00000000));
	printf("%d ", cuMemAlloc_v2(&pointer, 0x180000000));
	printf("%d ", cuStreamQuery(NULL));
	printf("%d ", cuGetProcAddress_v2("cuInit", &address, -2, 0, &status));
	printf("%d ", cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void *)10,
				     (void *)11));
	printf("%d ", cuIpcOpenMemHandle_v2(&pointer, handle, 3));
	printf("%d ", cuNewSelf());
	printf("%d", init(0xffffffff));
}

static volatile int ticks;

static void tick(int number)
{
	(void)number;
	ticks++;
}

static void delay(int calls)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = tick };
	struct timespec from, to;
	long ms;

	sigaction(SIGALRM, &action, NULL);
	alloc(1);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &from);
	errno = 77;
	while (calls--)
		alloc(1);
	ms = errno;
	clock_gettime(CLOCK_MONOTONIC, &to);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("errno %ld ticks %d ", ms, ticks > 10);
	ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
	printf("ms %ld", ms);
}

static void in_child(void)
{
	int status;

	for (int i = 0; i < 3; i++)
		printf("%d ", alloc(1));
	fflush(stdout);
	if (!fork()) {
		for (int i = 0; i < 3; i++)
			printf("child %d ", alloc(1));
		exit(0);
	}
	wait(&status);
	if (!fork())
		exit(0);
	wait(&status);
	printf("%d", alloc(1));
}

static void lookup(void)
{
	void *address = NULL;
	int status, result = cuGetProcAddress_v2("cuInit", &address, FAKE_VERSION, 0, &status);

	printf("%d %s ", result, address ? "found" : "none");
	result = cuGetProcAddress_v2("cuInit", &address, FAKE_VERSION, 0, &status);
	printf("%d %s", result, address == (void *)cuInit ? "same" : "other");
}

int main(int argc, char **argv)
{
	const char *what = argv[1];

	if (!strcmp(what, "alloc")) {
		int (*from)(size_t) = alloc;

		for (int i = 2; i < argc; i++) {
			if (!strcmp(argv[i], "lib"))
				from = library_alloc;
			else
				printf("%d ", from(strtoul(argv[i], NULL, 10)));
		}
	} else if (!strcmp(what, "many")) {
		per_thread = atoi(argv[3]);
		many(atoi(argv[2]));
	} else if (!strcmp(what, "each")) {
		each();
	} else if (!strcmp(what, "delay")) {
		delay(atoi(argv[2]));
	} else if (!strcmp(what, "fork")) {
		in_child();
	} else if (!strcmp(what, "lookup")) {
		lookup();
	}
	printf("; %d reached\n", cuaudit_fake_calls("cuMemAlloc_v2"));
	return 0;
}
