/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one site, of which a hook of the program's own sees each fourth: it comes before and goes behind. */
#include <setjmp.h>
#include <stdio.h>

#include <cuaudit/hook.h>

#include "t/runtime/runtime.h"

static int began, ended;
static jmp_buf out;

static int enter(struct cuaudit_call *call, void *data)
{
	(void)call, (void)data;
	began++;
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	(void)call, (void)data;
	ended++;
}

static void jump(void *data)
{
	(void)data;
	longjmp(out, 1);
}

/* Always from here, with its report in the same place. */
static __attribute__((noinline)) void call(void (*function)(void *))
{
	cudaStreamAddCallback(NULL, function, NULL, 1);
}

static void nothing(void *data)
{
	(void)data;
}

int main(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "alternates", .functions = "cudaStreamAddCallback", .enter = enter, .exit = leave,
		.flags = CUAUDIT_HOOK_OBSERVES,
	};

	for (int i = 0; i < 100; i++) {
		int handle;

		call(nothing);
		call(nothing);
		/* The last one before the hook is left, each other time. */
		if (!setjmp(out))
			call(i % 2 ? jump : nothing);
		handle = cuaudit_hook_attach(&hook);
		call(nothing);
		if (handle < 0 || cuaudit_hook_detach(handle) || cuaudit_hook_synchronize(handle, 10000))
			return 1;
	}
	printf("%d %d\n", began, ended);
	return 0;
}
