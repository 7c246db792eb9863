/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that counts calls and prints what it was given; macros make it a bad one. */
#include <cuaudit/hook.h>
#include <cuaudit/params.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile nowhere;
static int calls, ended, started;
static const char *word;

#ifdef UNDEFINED
int cuaudit_no_such_function(void);
#endif

static int enter(struct cuaudit_call *call, void *data)
{
	int *block = cuaudit_thread_block((uint32_t)(uintptr_t)data);

	(void)call;
	/* What did not start is not to be called. */
	if (!started)
		exit(99);
	if (block)
		++*block;
	calls++;
	return CUAUDIT_CONTINUE;
}

static int overflow(int depth)
{
	volatile char large[4096];

	large[0] = (char)depth;
	return depth < 0 ? 0 : overflow(depth + 1) + large[0];
}

static int init(const struct cuaudit_options *options)
{
	static struct cuaudit_module self = { .size = sizeof(self) };
	const char *crash = getenv("CRASH");
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "good", .functions = "cuInit", .enter = enter,
	};
	int key;

	word = cuaudit_option_get(options, "word");
	key = cuaudit_thread_key(sizeof(int), &self);
	hook.data = (void *)(uintptr_t)key;
	if (cuaudit_hook_add(&hook))
		return -EINVAL;
#ifdef UNDEFINED
	return cuaudit_no_such_function();
#endif
	started = !crash;
	if (started)
		return 0;
	if (!strcmp(crash, "error"))
		return -EBUSY;
	if (!strcmp(crash, "told")) {
		/* As of a result that this version does not know. */
		cuaudit_log(CUAUDIT_WARN, "%s", cuaudit_result_name(-1));
		return -ECANCELED;
	}
	if (!strcmp(crash, "abort"))
		abort();
	if (!strcmp(crash, "stack"))
		return overflow(0);
	if (!strcmp(crash, "trap"))
		__builtin_trap();
	*nowhere = 1;
	return 0;
}

static void finish(void)
{
	printf("good: %s saw %d%s\n", word ? word : "none", calls, ended++ ? " again" : "");
	fflush(stdout);
}

#ifdef CONSTRUCTOR
static void __attribute__((constructor)) construct(void)
{
	*nowhere = 1;
}
#endif

static const struct cuaudit_option options[] = {
	{ "word", "nothing", "TEXT", "what is printed" },
	{ NULL, NULL, NULL, NULL },
};

#ifndef ABI
#define ABI CUAUDIT_ABI
#endif
#ifndef SIZE
#define SIZE sizeof(struct cuaudit_module)
#endif
#ifndef MORE
#define MORE 0
#endif

/* A newer or older structure: another size, and what stands behind it. */
struct any_module {
	struct cuaudit_module module;
	uint64_t more[2];
};

#ifdef FUNCTION
int cuaudit_module(void);
int cuaudit_module(void)
{
	return 0;
}
#elif !defined(NONE)
const struct any_module cuaudit_module_ __asm__("cuaudit_module") = {
	.module = {
		.size = SIZE,
		.abi = ABI,
		.name = "good",
		.summary = "counts",
		.options = options,
		.init = init,
		.finish = finish,
	},
	.more = { 0, MORE },
};
#endif
