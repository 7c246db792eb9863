/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many functions of a library (MANY, in many.h, each named MANY_FUNCTION(number) there), bound by
 * several threads at once, in handlers of signals and in children of fork.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY

#define MANY_FUNCTION(number) int many_##number(int a) { return a + number; }
#include "many.h"

#else

enum { THREADS = 8 };

#define MANY_FUNCTION(number) int many_##number(int a);
#include "many.h"
#undef MANY_FUNCTION

/* A call through the PLT each. */
#define MANY_FUNCTION(number) static int call_##number(int a) { return many_##number(a); }
#include "many.h"
#undef MANY_FUNCTION

static int (*const calls[])(int) = {
#define MANY_FUNCTION(number) call_##number,
#include "many.h"
};

enum { COUNT = sizeof(calls) / sizeof(calls[0]) };

static _Atomic long wrong;
static _Atomic unsigned int next_of_handler;

static void call(unsigned int at)
{
	if (calls[at % COUNT](1) != (int)(at % COUNT) + 1)
		wrong++;
}

static void handler(int signal)
{
	(void)signal;
	call(next_of_handler++ * 7);
}

static _Atomic unsigned int arrived;

/* All threads go on at once. */
static void meet(unsigned int step)
{
	arrived++;
	while (arrived < (step + 1) * THREADS)
		sched_yield();
}

static void *run(void *from)
{
	/* A function of its own each, at the same moment. */
	for (unsigned int i = 0; i < COUNT / THREADS; i++) {
		meet(i);
		call(i * THREADS + (unsigned int)(size_t)from);
	}
	for (unsigned int i = 0; i < COUNT; i++) {
		call((unsigned int)(size_t)from * COUNT / THREADS + i);
		if (i % 16 == 0)
			raise(SIGUSR1);
	}
	return NULL;
}

static void fork_once(void)
{
	pid_t child = fork();
	int status = 1;

	if (!child) {
		alarm(60);
		for (unsigned int i = COUNT; i-- > 0;)
			call(i);
		_exit(wrong != 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		wrong++;
}

int main(void)
{
	pthread_t threads[THREADS];

	signal(SIGUSR1, handler);
	call(0);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 2;
	for (int i = 0; i < 20; i++)
		fork_once();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld wrong of %d\n", (long)wrong, COUNT);
	return wrong != 0;
}

#endif
