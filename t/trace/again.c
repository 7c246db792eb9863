/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With DRIVER, a driver that answers what it is told; else a program that calls it:
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

extern uint64_t again_out[2];
extern int again_answer, again_sleeps;
extern void (*again_inside)(void);

enum { WORDS = 11 };
extern uint64_t again_got[WORDS];	/* the last launch */

int cuLaunchKernel(uint64_t function, unsigned int gx, unsigned int gy, unsigned int gz,
		   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
		   uint64_t stream, uint64_t parameters, uint64_t extra);
int cuModuleGetFunction(uint64_t *function, uint64_t module, const char *name);

/* Each takes a word, is open to one hook of the trace, and not in the calls below. */
#define HANDLES(each) \
	each(cuArrayDestroy) each(cuDestroyExternalMemory) each(cuDestroyExternalSemaphore) \
	each(cuEventDestroy) each(cuEventDestroy_v2) each(cuEventQuery) each(cuFuncLoad) \
	each(cuGraphDestroy) each(cuGraphDestroyNode) each(cuGraphExecDestroy) \
	each(cuGraphicsUnregisterResource) each(cuGreenCtxDestroy) each(cuIpcCloseMemHandle) \
	each(cuLinkDestroy) each(cuLogsUnregisterCallback) each(cuMemPoolDestroy) \
	each(cuMemRelease) each(cuMipmappedArrayDestroy) each(cuStreamBeginCapture) \
	each(cuStreamBeginCapture_ptsz) each(cuStreamDestroy) each(cuStreamDestroy_v2) \
	each(cuStreamQuery) each(cuStreamQuery_ptsz) each(cuSurfObjectDestroy) \
	each(cuTexObjectDestroy) each(cuTexRefDestroy) each(cuCtxPushCurrent) \
	each(cuCtxPushCurrent_v2) each(cuCtxDisablePeerAccess) each(cuCtxDetach)

#ifdef DRIVER

#define PUBLIC __attribute__((visibility("default")))

PUBLIC uint64_t again_out[2];
PUBLIC int again_answer, again_sleeps;	/* for so many microseconds */
PUBLIC void (*again_inside)(void);
PUBLIC uint64_t again_got[WORDS];

/* Nothing is written when there is an error. */
#define GIVE(type, pointer, i) \
	if (pointer && !again_answer) \
		*(type *)(pointer) = (type)again_out[i];
#define CALL(name, parameters, body) \
	PUBLIC int name parameters; \
	PUBLIC int name parameters \
	{ \
		body \
		return again_answer; \
	}
#define UNUSED(name) (void)(name);

CALL(cuInit, (unsigned int flags), UNUSED(flags))
CALL(cuMemFree_v2, (uint64_t address), UNUSED(address))
CALL(cuProfilerStop, (void), if (again_sleeps) usleep((useconds_t)again_sleeps);
     if (again_inside) again_inside();)
CALL(cuCtxSetLimit, (int limit, uint64_t value), UNUSED(limit) UNUSED(value))
CALL(cuCtxGetDevice_v2, (int *device, void *context), UNUSED(context) GIVE(uint32_t, device, 0))
CALL(cuMemAlloc_v2, (uint64_t *address, uint64_t size), UNUSED(size) GIVE(uint64_t, address, 0))
CALL(cuMemGetInfo_v2, (uint64_t *free, uint64_t *total),
     GIVE(uint64_t, free, 0) GIVE(uint64_t, total, 1))
CALL(cuDevicePrimaryCtxGetState, (int device, unsigned int *flags, int *active),
     UNUSED(device) GIVE(uint32_t, flags, 0) GIVE(uint32_t, active, 1))
CALL(cuDriverGetVersion, (int *version), GIVE(uint32_t, version, 0))
CALL(cuLaunchKernel, (uint64_t function, unsigned int gx, unsigned int gy, unsigned int gz,
		      unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
		      uint64_t stream, uint64_t parameters, uint64_t extra),
     memcpy(again_got, ((uint64_t[]){ function, gx, gy, gz, bx, by, bz, shared, stream, parameters,
	    extra }), sizeof(again_got));)
CALL(cuModuleGetFunction, (uint64_t *function, uint64_t module, const char *name),
     UNUSED(module) UNUSED(name) GIVE(uint64_t, function, 0))
PUBLIC int cuFuncGetName(const char **name, uint64_t function);
PUBLIC int cuFuncGetName(const char **name, uint64_t function)
{
	static char text[32];

	snprintf(text, sizeof(text), "kernel%llx", (unsigned long long)function);
	*name = text;
	return 0;
}

#define HANDLE(name) CALL(name, (uint64_t handle), UNUSED(handle))
HANDLES(HANDLE)

#else

enum { CALLS = 90000, SHAPES = 9, ROUNDS = 100, ERROR = 2, SLOW = 20, SLEEP = 20, GAP = 500,
	INSIDE = 33000, KERNELS = 600, LAUNCHES = 20000 };

typedef int function(uint64_t a, uint64_t b, uint64_t c);

function cuInit, cuMemFree_v2, cuProfilerStop, cuCtxSetLimit, cuCtxGetDevice_v2, cuMemAlloc_v2,
	cuMemGetInfo_v2, cuDevicePrimaryCtxGetState, cuDriverGetVersion;

typedef int handle_function(uint64_t handle);

#define HANDLE(name) handle_function name;
HANDLES(HANDLE)
#undef HANDLE

/* By word, 'v' and 'V' a value of 4 bytes and 8, 'p' and 'P' a pointer to such, '-' none. */
static const struct {
	function *call;
	const char *name, *words;
} shapes[SHAPES] = {
	{ cuInit, "cuInit", "v--" },
	{ cuMemFree_v2, "cuMemFree_v2", "V--" },
	{ cuProfilerStop, "cuProfilerStop", "---" },
	{ cuCtxSetLimit, "cuCtxSetLimit", "vV-" },
	{ cuCtxGetDevice_v2, "cuCtxGetDevice_v2", "pV-" },
	{ cuMemAlloc_v2, "cuMemAlloc_v2", "PV-" },
	{ cuMemGetInfo_v2, "cuMemGetInfo_v2", "PP-" },
	{ cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState", "vpp" },
	{ cuDriverGetVersion, "cuDriverGetVersion", "p--" },
};

static uint64_t state = 88172645463325252;

static uint64_t chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 8;
}

/* One bit of it changes: the lowest, one of the lower half, of the upper, the highest. */
static void change(uint64_t *word)
{
	static const int bits[] = { 0, 17, 31, 32, 45, 63 };

	*word ^= UINT64_C(1) << bits[chance() % 6];
}

static void print(const char *words, bool values, const uint64_t *in, int result)
{
	int out = 0;

	for (int i = 0; words[i] != '-' && i < 3; i++) {
		bool value = words[i] == 'v' || words[i] == 'V';
		uint64_t number = value ? in[i] : again_out[out++];

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
	uint64_t in[3], what = chance() % 32;
	int result, wanted = chance() % 64 ? 0 : ERROR;

	if (what < 3)
		change(&values[shape][what]);
	else if (what < 5)
		change(&outs[shape][what - 3]);
	for (int i = 0; i < 3; i++) {
		in[i] = values[shape][i];
		if (is_pointer(shapes[shape].words[i]))
			in[i] = chance() % 32 ? (uintptr_t)&room[shape][i][chance() % 2] : 0;
	}
	again_out[0] = outs[shape][0];
	again_out[1] = outs[shape][1];
	again_answer = wanted;
	result = shapes[shape].call(in[0], in[1], in[2]);
	printf("%s %d", shapes[shape].name, wanted);
	print(shapes[shape].words, true, in, wanted);
	print(shapes[shape].words, false, in, wanted);
	printf("\n");
	return result == wanted;
}

/* The device is the place's number. */
#define PLACE \
	again_out[0] = __COUNTER__; \
	good &= !cuDevicePrimaryCtxGetState(again_out[0], (uintptr_t)&flags, (uintptr_t)&active); \
	printf("cuDevicePrimaryCtxGetState 0 0:0x%08x 1:0x%08x 2:0x%08x\n", flags, flags, active);
#define PLACES10 PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE
#define PLACES100 PLACES10 PLACES10 PLACES10 PLACES10 PLACES10 \
	PLACES10 PLACES10 PLACES10 PLACES10 PLACES10

static bool places(void)
{
	uint32_t flags, active;
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
	uint64_t in[WORDS] = { 0 }, got;
	bool good = true;

	for (uint64_t i = 0; i < KERNELS; i++) {
		again_out[0] = kernel(i);
		good &= !cuModuleGetFunction(&got, 0, "a kernel");
		printf("cuModuleGetFunction 0 1:0x%016x 0:0x%016llx 2:\"a kernel\"\n", 0,
		       (unsigned long long)kernel(i));
	}
	in[0] = kernel(0);
	for (int i = 0; i < LAUNCHES; i++) {
		uint64_t what = chance() % 32;

		if (what == 0)
			in[0] = kernel(chance() % KERNELS);
		else if (what < WORDS)
			change(&in[what]);
		for (int k = 1; k < 8; k++)
			in[k] = (uint32_t)in[k];
		good &= !cuLaunchKernel(in[0], (uint32_t)in[1], (uint32_t)in[2], (uint32_t)in[3],
					(uint32_t)in[4], (uint32_t)in[5], (uint32_t)in[6],
					(uint32_t)in[7], in[8], in[9], in[10]);
		good &= !memcmp(in, again_got, sizeof(in));
		printf("cuLaunchKernel 0");
		for (int k = 0; k < 9; k++)
			printf(" %d:0x%0*llx", k, k % 8 ? 8 : 16, (unsigned long long)in[k]);
		printf("\n");
	}
	return good;
}

static bool handles(void)
{
#define HANDLE(name) { name, #name },
	static const struct {
		handle_function *call;
		const char *name;
	} all[] = { HANDLES(HANDLE) };
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
		again_sleeps = i < SLOW ? (i + 1) * SLEEP : 0;
		good &= !cuProfilerStop(0, 0, 0);
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
		cuMemFree_v2(i, 0, 0);
		printf("cuMemFree_v2 0 0:0x%016x\n", i);
	}
}

/* The record of the outer call follows those of others, be it of so many that no record has room. */
static bool inside(void)
{
	bool good = true;

	again_inside = call_inside;
	for (int i = 0; i < ROUNDS; i++) {
		times = i % 4 == 1 ? i / 4 : i == ROUNDS - 2 ? INSIDE : 0;
		good &= !cuProfilerStop(0, 0, 0);
		printf("cuProfilerStop 0\n");
	}
	again_inside = NULL;
	return good;
}

int main(void)
{
	bool good = slowly();

	for (int i = 0; i < CALLS; i++)
		good &= call((int)(chance() % SHAPES));
	again_answer = 0;
	good &= inside();
	good &= launches();
	for (int i = 0; i < ROUNDS; i++)
		good &= handles();
	for (int i = 0; i < ROUNDS; i++)
		good &= places();
	return !good;
}

#endif
