/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in that times the call stacks of cuDriverGetVersion: Python's frames, and native ones
 * by the unwinder. The word that the call is given for the version says which series it belongs to.
 */
#include <cuaudit/args.h>
#include <cuaudit/hook.h>

#include "times.h"

enum { PYTHON, UNWINDER, KINDS, SERIES = 2, CALLS = 2000, FRAMES = 128 };

static struct series {
	double ns[KINDS][CALLS];
	uint32_t frames[KINDS];
	int count;
} all[SERIES];

/* The median nanoseconds of a kind, and how many frames it found last. */
__attribute__((visibility("default"))) double bench_stacks(int series, int kind, uint32_t *frames);
double bench_stacks(int series, int kind, uint32_t *frames)
{
	*frames = all[series].frames[kind];
	return median(all[series].ns[kind], all[series].count);
}

static int enter(struct cuaudit_call *call, void *data)
{
	struct series *to = &all[*CUAUDIT_ARGS(call, cuDriverGetVersion)->driverVersion];
	static struct cuaudit_python python[FRAMES];
	static const void *native[FRAMES];
	double times[KINDS + 1];

	(void)data;
	if (to->count == CALLS)
		return CUAUDIT_CONTINUE;
	times[0] = now();
	to->frames[PYTHON] = cuaudit_call_python(call, python, FRAMES);
	times[1] = now();
	to->frames[UNWINDER] = cuaudit_call_backtrace(call, native, FRAMES, CUAUDIT_BACKTRACE_UNWIND);
	times[2] = now();
	for (int i = 0; i < KINDS; i++)
		to->ns[i][to->count] = times[i + 1] - times[i];
	to->count++;
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "stacks", .functions = "cuDriverGetVersion", .enter = enter,
	};
	int error = cuaudit_backtrace_prepare();

	(void)options;
	return error ? error : cuaudit_hook_add(&hook);
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "stacks",
	.summary = "times call stacks", .init = init,
};
