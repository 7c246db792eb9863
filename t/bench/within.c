/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded: calls the driver wherever the program takes aligned memory,
 * as PyTorch does for each result on the processor, the functions and about as
 * often as cudart's launches do. See within.py, which says when.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { CALLS = 2, STATES = 5, CURRENTS = 64, WORDS = 2048 };

int within_setup(void);
void within_call(int calls);
unsigned long within_calls(void);

static int (*get_device)(int *device, void *context);
static int (*get_state)(int device, unsigned int *flags, int *active);
static int (*get_current)(void **context);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t words[WORDS], seed;
static unsigned long ncalls;
static int calling;

/* 0, or what the driver answered. */
int within_setup(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int (*init)(unsigned int), (*retain)(void **, int), (*set)(void *), result;

	if (!driver)
		return -1;
	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	retain = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
	set = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
	get_device = (int (*)(int *, void *))dlsym(driver, "cuCtxGetDevice_v2");
	get_state = (int (*)(int, unsigned int *, int *))dlsym(driver, "cuDevicePrimaryCtxGetState");
	get_current = (int (*)(void **))dlsym(driver, "cuCtxGetCurrent");
	result = init(0);
	result = result ? result : retain(&context, 0);
	return result ? result : set(context);
}

/* What a runtime does before it asks: a lock, some of its own memory. */
static __attribute__((noinline)) void prepare(int count)
{
	uint64_t x = seed + 1;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < count; i++) {
		uint64_t *at = &words[x >> 33 & (WORDS - 1)];

		x = x * 0x9e3779b97f4a7c15u + *at;
		*at = x;
		if (x >> 61 == 3)
			x ^= x >> 7;
	}
	pthread_mutex_unlock(&mutex);
	seed = x;
}

static void call(void)
{
	unsigned int flags;
	int device, active;
	void *context;

	prepare((int)(6 + (ncalls & 7)));
	if (ncalls % CURRENTS == 0)
		get_current(&context);
	else if (ncalls % STATES == 1)
		get_state(0, &flags, &active);
	else
		get_device(&device, NULL);
	ncalls++;
}

void within_call(int calls)
{
	calling = calls;
}

unsigned long within_calls(void)
{
	return ncalls;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	for (int i = 0; calling && i < CALLS; i++)
		call();
	*memory = memalign(alignment, size);
	return *memory ? 0 : 12;
}
