/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call that is quick and a long one, from one place, inside of which another
 * one ends last. Then calls that are told apart by their place alone, and by their
 * function alone, so many that some share what a thread remembers of them.
 */
#include <stddef.h>

#include "t/trace/driver.h"

enum { ROUNDS = 5, FUNCTIONS = 6, LONG = 2400000 };

static word out[2];

/* The context is the place's number. */
#define PLACE failed |= cuCtxGetDevice_v2(&device, (void *)(size_t)__COUNTER__);
#define PLACES10 PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE
#define PLACES100 PLACES10 PLACES10 PLACES10 PLACES10 PLACES10 \
	PLACES10 PLACES10 PLACES10 PLACES10 PLACES10

static int places(void)
{
	int failed = 0, device;

	PLACES100
	PLACES100
	PLACES100
	return failed;
}

#define TURN for (int i = 0; i < FUNCTIONS; i++) failed |= functions[i](&out[0], &out[1]);
#define TURNS10 TURN TURN TURN TURN TURN TURN TURN TURN TURN TURN

static int functions(void)
{
	int (*const functions[FUNCTIONS])(void *, void *) = {
		(int (*)(void *, void *))cuInit, (int (*)(void *, void *))cuDriverGetVersion,
		(int (*)(void *, void *))cuMemAlloc_v2, (int (*)(void *, void *))cuMemGetInfo_v2,
		(int (*)(void *, void *))cuModuleUnload, (int (*)(void *, void *))cuCtxGetDevice_v2,
	};
	int failed = 0;

	TURNS10 TURNS10 TURNS10 TURNS10 TURNS10 TURNS10 TURNS10 TURNS10 TURNS10 TURNS10
	TURNS10 TURNS10
	return failed;
}

static void back(void)
{
	cuInit(0);
}

static __attribute__((noinline)) int unload(unsigned int us)
{
	trace_us = us;
	return cuModuleUnload(NULL);
}

int main(void)
{
	int failed = 0;

	trace_back = back;
	for (unsigned int i = 0; i < 2; i++)
		failed |= unload(i * LONG);
	trace_us = 0;
	trace_back = NULL;
	for (int i = 0; i < ROUNDS; i++)
		failed |= places();
	for (int i = 0; i < ROUNDS; i++)
		failed |= functions();
	return failed;
}
