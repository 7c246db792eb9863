/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers and stack words between caller and driver. Arguments: hooks; "first",
 * "later", or "alone": no function that is given addresses of nothing.
 */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

void registers_call(void *function, const struct fake_record *in, struct fake_record *out);

static void fill(struct fake_record *record)
{
	unsigned long *words = (unsigned long *)record;

	for (size_t i = 0; i < sizeof(*record) / sizeof(*words); i++)
		words[i] = 0xa500000000000000ul + (i << 32) + i * 0x01010101ul;
}

static int differences(const void *got, const void *want, int words)
{
	const unsigned long *a = got, *b = want;
	int count = 0;

	for (int i = 0; i < words; i++) {
		if (a[i] != b[i])
			diag("word %d: got %lx, want %lx", i, a[i], b[i]);
		count += a[i] != b[i];
	}
	return count;
}

/*
 * regs, stack: how many of each are arguments; halves: of the stack, words of 4
 * bytes, which come first; all: no prototype, everything may be an argument.
 */
static void call(const char *name, void *function, int regs, int stack, int halves, bool all)
{
	struct fake_record in, out;

	fill(&in);
	fill(&out);
	for (int i = 0; i < halves; i++)
		in.stack[i] &= UINT32_MAX;
	memset(&fake_record, 0, sizeof(fake_record));
	registers_call(function, &in, &out);

	is_int(differences(fake_record.regs, in.regs, regs), 0, "%s: argument registers", name);
	is_int(differences(fake_record.stack, in.stack, stack), 0, "%s: stack words", name);
	is_int((long long)fake_record.sp & 15, FAKE_STACK_REST, "%s: the stack is aligned", name);
	if (all) {
		is_int(differences(fake_record.vectors, in.vectors, 16), 0,
		       "%s: vector registers", name);
		is_int(differences(&fake_record.extra, &in.extra, 1), 0, "%s: rax or x8", name);
	}
	is_int(differences(fake_record.kept, in.kept, FAKE_KEPT - 1), 0,
	       "%s: registers a callee keeps, in it", name);
	is_int(differences(out.kept, in.kept, FAKE_KEPT), 0,
	       "%s: these and the frame pointer, after it", name);
	is_int((long long)out.sp, 0, "%s: the stack pointer, after it", name);
	is_int((long long)out.extra, 0, "%s: the result", name);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = how,
		.enter = strstr(how, "enter") ? enter_nothing : NULL,
		.exit = strstr(how, "exit") ? exit_nothing : NULL,
	};
	int (*add)(const struct cuaudit_hook *);
	void *core;

	if (argc > 2 && !strcmp(argv[2], "first")) {
		call("first", (void *)cuNewRegisters, FAKE_REGS, FAKE_STACK_WORDS, 0, true);
		return done_testing();
	}
	cuInit(0);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	is_int(core != NULL, observe_routed(), "the core");
	if (core && (hook.enter || hook.exit)) {
		add = (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add");
		is_int(add(&hook), 0, "a hook");
	}
	for (int turn = 0; turn < 2; turn++) {
		call("unknown", (void *)cuNewRegisters, FAKE_REGS, FAKE_STACK_WORDS, 0, true);
		call("no integers", (void *)cuProfilerStop, 0, 0, 0, false);
		call("two integers", (void *)cuEventRecord, 2, 0, 0, false);
		call("six integers", (void *)cuMemcpyPeerAsync, 6, 0, 0, false);
		call("a launch", (void *)cuLaunchKernel_ptsz, FAKE_REGS, 11 - FAKE_REGS,
		     FAKE_REGS == 6 ? 2 : 0, false);
		if (argc > 2 && !strcmp(argv[2], "alone"))
			continue;
		call("sixteen integers", (void *)cuTensorMapEncodeIm2colWide, FAKE_REGS,
		     16 - FAKE_REGS, 0, false);
	}
	return done_testing();
}
