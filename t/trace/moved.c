/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that begin on one thread and end on another: a coroutine is left in a
 * callback of the driver, and another thread goes on with it, while the first
 * one calls, or after it ended; a second argument: another coroutine is left for
 * good, by a thread that ends. Prints how many calls were made.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOVES = 300, CALLS = 200, STACK = 256 * 1024 };

static int (*version)(int *value);
static int (*launch)(void *stream, void (*function)(void *), void *data);
static int (*set_current)(void *context);
static void *context;
static ucontext_t coroutine, starter, finisher;
static pthread_barrier_t ready;
static _Atomic long calls;
static char *stack;
static int last;	/* a thread that stays for good */

static void yield(void *unused)
{
	(void)unused;
	swapcontext(&coroutine, &starter);
}

static void body(void)
{
	if (launch(NULL, yield, NULL))
		abort();
	calls++;
	setcontext(&finisher);
}

static void call(int n)
{
	int value;

	for (; n > 0; n--, calls++)
		version(&value);
}

/* Begins a call, then calls beside the thread that ends it. */
static void *start(void *stays)
{
	set_current(context);
	calls++;
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = NULL;
	makecontext(&coroutine, body, 0);
	swapcontext(&starter, &coroutine);
	if (stays)
		pthread_barrier_wait(&ready);
	call(CALLS);
	if (last)
		pthread_barrier_wait(&ready);
	while (last)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	int stays = argc > 1 && !strcmp(argv[1], "stays");
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	int (*create)(void **, unsigned int, int);
	pthread_t id;

	if (!init || init(0))
		return 77;
	version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	launch = (int (*)(void *, void (*)(void *), void *))dlsym(driver, "cuLaunchHostFunc");
	set_current = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
	create = (int (*)(void **, unsigned int, int))dlsym(driver, "cuCtxCreate_v2");
	if (create(&context, 0, 0))
		return 77;
	calls = 2;
	stack = malloc(STACK);
	pthread_barrier_init(&ready, NULL, 2);
	for (int i = 0; i < MOVES; i++) {
		last = stays && i + 1 == MOVES;
		pthread_create(&id, NULL, start, stays ? &id : NULL);
		if (stays)
			pthread_barrier_wait(&ready);
		else
			pthread_join(id, NULL);
		call(1);
		swapcontext(&finisher, &coroutine);
		call(i % 3);
		if (last)
			pthread_barrier_wait(&ready);
		else if (stays)
			pthread_join(id, NULL);
	}
	if (argc > 2) {
		last = 0;
		pthread_create(&id, NULL, start, NULL);
		pthread_join(id, NULL);
	}
	printf("%ld\n", calls);
	return 0;
}
