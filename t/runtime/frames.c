/* SPDX-License-Identifier: Apache-2.0 */
/* A module that prints how many frames of ours stacks of calls inside of others have. */
#include <cuaudit/hook.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32 };

static int count(const struct cuaudit_call *call, enum cuaudit_backtrace how, int *ours)
{
	const void *frames[MOST];
	uint32_t found = cuaudit_call_backtrace(call, frames, MOST, how);

	*ours = 0;
	for (uint32_t i = 0; i < found; i++)
		*ours += !strncmp(cuaudit_library_at(frames[i])->name, "cuaudit-core", 12);
	return found > 1;
}

static int enter(struct cuaudit_call *call, void *data)
{
	int followed, unwound, several;

	(void)data;
	if (!call->depth)
		return CUAUDIT_CONTINUE;
	/* Not all code has frame pointers to be followed. */
	count(call, CUAUDIT_BACKTRACE_FRAMES, &followed);
	several = count(call, CUAUDIT_BACKTRACE_UNWIND, &unwound);
	fprintf(stderr, "%s: %d of ours; unwound %s, %d of ours\n", call->function->name, followed,
		several ? "several" : "one", unwound);
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "frames", .enter = enter, .functions = "*",
		.flags = CUAUDIT_HOOK_OBSERVES,
	};

	(void)options;
	return cuaudit_backtrace_prepare() ?: cuaudit_hook_add(&hook);
}

__attribute__((visibility("default")))
const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "frames",
	.summary = "counts frames of ours", .init = init,
};
