/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooked functions that end in a jump to another one, of three libraries: outer, middle, inner, as compilers
 * make of a call whose answer is returned. With HOOK, what a hook of the inner one is told of who called.
 */
#include <stdio.h>
#include <stdlib.h>

int inner(int value);
int middle(int value);
int outer(int value);
int down(int times);
int again(int times);

#if defined INNER
int inner(int value)
{
	return value + 1;
}

int down(int times)
{
	return times ? again(times - 1) : 7;
}
#elif defined MIDDLE
int middle(int value)
{
	return inner(value + 1);
}
#elif defined OUTER
int outer(int value)
{
	return middle(value + 1);
}

int again(int times)
{
	return down(times);
}
#elif defined HOOK
#include <cuaudit/hook.h>
#include <dlfcn.h>

enum { MOST = 16 };

/* The functions of the program, from the inside out. */
static void print(const struct cuaudit_call *call, enum cuaudit_backtrace how)
{
	const void *frames[MOST];
	uint32_t count = cuaudit_call_backtrace(call, frames, MOST, how);
	Dl_info info;

	for (uint32_t i = 0; i < count; i++) {
		if (!dladdr((const char *)frames[i] - 1, &info) || !info.dli_sname)
			info.dli_sname = "?";
		printf(" %s", info.dli_sname);
		if (info.dli_sname[0] == 'm')
			break;
	}
}

/* Calls of its own, which go to the function itself. */
static int look(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (((int (*)(int))dlsym(RTLD_DEFAULT, "outer"))(1) != 4)
		printf("wrong\n");
	printf("%s:", cuaudit_call_library(call)->name);
	print(call, CUAUDIT_BACKTRACE_FRAMES);
	print(call, CUAUDIT_BACKTRACE_UNWIND);
	printf("\n");
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "jumps", .functions = "%providers", .enter = look,
		.flags = CUAUDIT_HOOK_PROVIDERS
	};

	(void)options;
	return cuaudit_backtrace_prepare() ? -1 : cuaudit_hook_add(&hook);
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "jumps", .init = init
};
#else
__attribute__((noinline)) int call(int value);

__attribute__((noinline)) int call(int value)
{
	return outer(value) + 1;
}

/* The number of jumps back and forth that the libraries make, if any: they take no stack. */
int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("%d\n", down(atoi(argv[1])));
		return 0;
	}
	for (int i = 0; i < 3; i++)
		printf("%d\n", call(i));
	return 0;
}
#endif
