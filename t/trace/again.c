/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver that answers what it is told:
 * 20 calls of up to 0.4 ms and 20 that are up to 10 ms apart; then one function after another
 * where one part of what goes in or comes out changes now and then, or nothing;
 * calls while the driver is in another; launches of more kernels than a thread
 * remembers; many functions from one place; at last one from so many places that some
 * share what a thread remembers of them, each with an argument of its own. Prints for each call what is to be in the trace:
 * FUNCTION RESULT ARGUMENT..., in the order in which they are written.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "t/fuzz/chance.h"
#include "t/trace/driver.h"

enum { CALLS = 90000, SHAPES = 9, ROUNDS = 100, ERROR = 2, SLOW = 20, SLEEP = 20, GAP = 500,
	INSIDE = 33000, KERNELS = 600, LAUNCHES = 20000 };

typedef int function(uint64_t a, uint64_t b, uint64_t c);

/* By word, 'v' and 'V' a value of 4 bytes and 8, 'p' and 'P' a pointer to such, '-' none. */
#define SHAPE(name, words) { (function *)(void (*)(void))name, #name, words }
static const struct {
	function *call;
	const char *name, *words;
} shapes[SHAPES] = {
	SHAPE(cuInit, "v--"),
	SHAPE(cuMemFree_v2, "V--"),
	SHAPE(cuProfilerStop, "---"),
	SHAPE(cuCtxSetLimit, "vV-"),
	SHAPE(cuCtxGetDevice_v2, "pV-"),
	SHAPE(cuMemAlloc_v2, "PV-"),
	SHAPE(cuMemGetInfo_v2, "PP-"),
	SHAPE(cuDevicePrimaryCtxGetState, "vpp"),
	SHAPE(cuDriverGetVersion, "p--"),
};

static word results[2];

/* One bit of it changes: the lowest, one of the lower half, of the upper, the highest. */
static void change(uint64_t *word)
{
	static const int bits[] = { 0, 17, 31, 32, 45, 63 };

	*word ^= UINT64_C(1) << bits[chance(6)];
}

static void print(const char *words, bool values, const uint64_t *in, int result)
{
	int out = 0;

	for (int i = 0; words[i] != '-' && i < 3; i++) {
		bool value = words[i] == 'v' || words[i] == 'V';
		uint64_t number = value ? in[i] : results[out++];

		if (value != values)
			continue;
		if (!value && (result || !in[i]))
			printf(" %d:-", i);
		else if (words[i] == 'v' || words[i] == 'p')
			printf(" %d:0x%08x", i, (uint32_t)number);
		else
			printf(" %d:0x%016llx", i, (unsigned long long)number);
	}
}

static bool is_pointer(char word)
{
	return word == 'p' || word == 'P';
}

/* Where the driver writes to is another place now and then. */
static uint64_t room[SHAPES][3][2];
static uint64_t values[SHAPES][3];
static uint64_t outs[SHAPES][2];

static bool call(int shape)
{
	uint64_t in[3], what = chance(32);
	int result, wanted = chance(64) ? 0 : ERROR;

	if (what < 3)
		change(&values[shape][what]);
	else if (what < 5)
		change(&outs[shape][what - 3]);
	for (int i = 0; i < 3; i++) {
		in[i] = values[shape][i];
		if (is_pointer(shapes[shape].words[i]))
			in[i] = chance(32) ? (uintptr_t)&room[shape][i][chance(2)] : 0;
	}
	results[0] = outs[shape][0];
	results[1] = outs[shape][1];
	trace_answer = wanted;
	result = shapes[shape].call(in[0], in[1], in[2]);
	printf("%s %d", shapes[shape].name, wanted);
	print(shapes[shape].words, true, in, wanted);
	print(shapes[shape].words, false, in, wanted);
	printf("\n");
	return result == wanted;
}

/* The device is the place's number. */
#define PLACE \
	results[0] = __COUNTER__; \
	good &= !cuDevicePrimaryCtxGetState((int)results[0], &flags, &active); \
	printf("cuDevicePrimaryCtxGetState 0 0:0x%08x 1:0x%08x 2:0x%08x\n", flags, flags, (unsigned int)active);
#define PLACES10 PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE
#define PLACES100 PLACES10 PLACES10 PLACES10 PLACES10 PLACES10 \
	PLACES10 PLACES10 PLACES10 PLACES10 PLACES10

static bool places(void)
{
	unsigned int flags;
	int active;
	bool good = true;

	PLACES100
	PLACES100
	return good;
}

static uint64_t kernel(uint64_t number)
{
	return UINT64_C(0x7f0012340000) + number * 0x140;
}

/* The arguments stay, or one bit of one of them changes; another kernel now and then. */
static bool launches(void)
{
	word in[TRACE_WORDS] = { 0 };
	char name[32];
	void *got;
	bool good = true;

	for (uint64_t i = 0; i < KERNELS; i++) {
		results[0] = kernel(i);
		snprintf(name, sizeof(name), "kernel%llx", (unsigned long long)kernel(i));
		good &= !cuModuleGetFunction(&got, 0, name);
		printf("cuModuleGetFunction 0 1:0x%016x 0:0x%016llx 2:\"%s\"\n", 0,
		       (unsigned long long)kernel(i), name);
	}
	in[0] = kernel(0);
	for (int i = 0; i < LAUNCHES; i++) {
		uint64_t what = chance(32);

		if (what == 0)
			in[0] = kernel(chance(KERNELS));
		else if (what < TRACE_WORDS)
			change(&in[what]);
		for (int k = 1; k < 8; k++)
			in[k] = (uint32_t)in[k];
		good &= !cuLaunchKernel((void *)in[0], (unsigned int)in[1], (unsigned int)in[2],
					(unsigned int)in[3], (unsigned int)in[4], (unsigned int)in[5],
					(unsigned int)in[6], (unsigned int)in[7], (void *)in[8],
					(void *)in[9], (void *)in[10]);
		good &= !memcmp(in, trace_launch, sizeof(in));
		printf("cuLaunchKernel 0");
		for (int k = 0; k < 9; k++)
			printf(" %d:0x%0*llx", k, k % 8 ? 8 : 16, (unsigned long long)in[k]);
		printf("\n");
	}
	return good;
}

static bool handles(void)
{
	static const struct {
		int (*call)(word handle);
		const char *name;
	} all[] = {
#define CALL(name, parameters, body)
#define HANDLE(name) { name, #name },
#include "t/trace/driver.def"
	};
	bool good = true;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		good &= !all[i].call(i);
		printf("%s 0 0:0x%016zx\n", all[i].name, i);
	}
	return good;
}

/* The more the longer, and later, up to and beyond what one word has room for; microseconds. */
static bool slowly(void)
{
	bool good = true;

	for (int i = 0; i < 2 * SLOW; i++) {
		trace_us = i < SLOW ? (unsigned int)(i + 1) * SLEEP : 0;
		good &= !cuProfilerStop();
		if (i >= SLOW)
			usleep((useconds_t)(i - SLOW + 1) * GAP);
		printf("cuProfilerStop 0\n");
	}
	return good;
}

static int times;

static void call_inside(void)
{
	for (int i = 0; i < times; i++) {
		cuMemFree_v2((word)i);
		printf("cuMemFree_v2 0 0:0x%016x\n", i);
	}
}

/* The record of the outer call follows those of others, be it of so many that no record has room. */
static bool inside(void)
{
	bool good = true;

	trace_back = call_inside;
	for (int i = 0; i < ROUNDS; i++) {
		times = i % 4 == 1 ? i / 4 : i == ROUNDS - 2 ? INSIDE : 0;
		good &= !cuProfilerStop();
		printf("cuProfilerStop 0\n");
	}
	trace_back = NULL;
	return good;
}

int main(void)
{
	bool good;

	trace_out = results;
	trace_kernel = NULL;
	good = slowly();

	for (int i = 0; i < CALLS; i++)
		good &= call((int)(chance(SHAPES)));
	trace_answer = 0;
	good &= inside();
	good &= launches();
	for (int i = 0; i < ROUNDS; i++)
		good &= handles();
	for (int i = 0; i < ROUNDS; i++)
		good &= places();
	return !good;
}
