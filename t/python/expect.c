/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in that compares the Python frames of calls of cuModuleGetFunction with what the program
 * says that they are, in place of a kernel's name: "name\tfile\tline\n" for each, innermost first,
 * or more of them than can be had. Prints "right N of N" at the end, and the first that are wrong.
 */
#include <cuaudit/args.h>
#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((weak)) void reads_mark(int on);	/* of reads.c, if that is preloaded */

enum { FRAMES = 100, TEXT = 128 * 1024, WRONG = 3 };

static _Atomic uint64_t calls, right, merged;
static bool full;	/* compare stacks that are merged, too */

static uint32_t describe(const struct cuaudit_python *frame, char *to, uint32_t size)
{
	uint32_t length = cuaudit_python_text(frame, CUAUDIT_PYTHON_NAME, to, size - 64);

	to[length++] = '\t';
	length += cuaudit_python_text(frame, CUAUDIT_PYTHON_FILE, to + length, size - length - 64);
	return length + (uint32_t)snprintf(to + length, 64, "\t%u\n", frame->line);
}

/* Whether both begin alike and the shorter one ends where a frame does. */
static bool agrees(const char *text, const char *expected, bool all)
{
	size_t length = strlen(text);

	return length && !strncmp(text, expected, length) && (!all || !expected[length]);
}

static void is_wrong(const char *what, const char *text, const char *expected)
{
	static _Atomic int count;

	if (atomic_fetch_add(&count, 1) < WRONG)
		dprintf(2, "wrong %s in process %d:\n%.3000sexpected:\n%.3000s", what, getpid(), text,
			expected);
}

static int enter(struct cuaudit_call *call, void *data)
{
	const char *expected = CUAUDIT_ARGS(call, cuModuleGetFunction)->name;
	struct cuaudit_python frames[FRAMES];
	struct cuaudit_stack_frame stack[FRAMES];
	static __thread char text[TEXT];
	uint32_t count, used = 0;

	(void)data;
	atomic_fetch_add(&calls, 1);
	if (reads_mark)
		reads_mark(1);
	count = cuaudit_call_python(call, frames, FRAMES);
	if (reads_mark)
		reads_mark(0);
	for (uint32_t i = 0; i < count && used < TEXT - 2048; i++)
		used += describe(&frames[i], text + used, TEXT - used);
	text[used] = '\0';
	if (agrees(text, expected, count < FRAMES))
		atomic_fetch_add(&right, 1);
	else
		is_wrong("frames", text, expected);
	if (full) {
		count = cuaudit_call_stack(call, stack, FRAMES, CUAUDIT_STACK_MERGED);
		used = 0;
		for (uint32_t i = 0; i < count && used < TEXT - 2048; i++)
			if (!stack[i].address)
				used += describe(&stack[i].python, text + used, TEXT - used);
		text[used] = '\0';
		if (agrees(text, expected, count < FRAMES) && stack[0].address)
			atomic_fetch_add(&merged, 1);
		else
			is_wrong("merged stack", text, expected);
		if (getenv("EXPECT_SHOW")) {
			for (uint32_t i = 0; i < count; i++) {
				if (stack[i].address) {
					dprintf(2, "  %s %p\n", cuaudit_library_at(stack[i].address)->name, stack[i].address);
					continue;
				}
				describe(&stack[i].python, text, TEXT);
				dprintf(2, "  %s", text);
			}
			dprintf(2, "--\n");
		}
	}
	call->result = CUDA_ERROR_NOT_FOUND;
	return CUAUDIT_SKIP;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "expect", .functions = "cuModuleGetFunction",
		.enter = enter,
	};

	full = !strcmp(cuaudit_option_get(options, "merged"), "yes");
	if (full)
		cuaudit_backtrace_prepare();
	return cuaudit_hook_add(&hook);
}

static void finish(void)
{
	dprintf(2, "right %llu of %llu\n", (unsigned long long)right, (unsigned long long)calls);
	if (full)
		dprintf(2, "merged %llu of %llu\n", (unsigned long long)merged,
			(unsigned long long)calls);
}

static void forked(void)
{
	atomic_store(&calls, 0);
	atomic_store(&right, 0);
	atomic_store(&merged, 0);
}

static const struct cuaudit_option options[] = {
	{ "merged", "no", "yes|no", "whether merged stacks are compared, too" },
	{ NULL, NULL, NULL, NULL }
};

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "expect",
	.summary = "compares Python frames", .options = options, .init = init, .finish = finish,
	.forked = forked,
};
