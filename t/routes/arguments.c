/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments, answers and errno with hooks of every kind. The argument says which. */
#include <cuaudit/clock.h>
#include <dlfcn.h>
#include <time.h>

#include "t/routes/checks.h"
#include "t/routes/everything.h"

static int (*add)(const struct cuaudit_hook *);

static int enter_calls, exit_calls;

static void add_hook(const char *name, int priority, const char *functions,
		     cuaudit_enter_fn enter, cuaudit_exit_fn leave)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.priority = priority,
		.name = name,
		.functions = functions,
		.enter = enter,
		.exit = leave,
	};

	if (add)
		is_int(add(&hook), 0, "hook %s", name);
}

static int only_enter(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	enter_calls++;
	return CUAUDIT_CONTINUE;
}

/* The core alone, without observe.c's hook. */
static void wake(void)
{
	void *core;

	cuInit(0);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	if (observe_routed() && !core)
		bail_out("the core is not loaded");
	if (core)
		add = (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add");
}

static bool named(const struct cuaudit_call *call, const char *name)
{
	return !strcmp(call->function->name, name);
}

static uint64_t bits(float value)
{
	uint32_t word;

	memcpy(&word, &value, 4);
	return word;
}

/* Turns arguments of repaired_calls into those the driver wants. */
static int repair(struct cuaudit_call *call, void *data)
{
	struct fake_handle handle = everything_handle();

	(void)data;
	enter_calls++;
	if (named(call, "cuMemAlloc_v2")) {
		call->words[1] = 99;
	} else if (named(call, "cuLaunchKernel")) {
		if (call->nwords != 11)
			return CUAUDIT_CONTINUE;
		for (uint32_t i = 0; i < 11; i++)
			call->words[i] = i + 1;
	} else if (named(call, "cuIpcOpenMemHandle_v2")) {
		if (call->nwords != 10)
			return CUAUDIT_CONTINUE;
		memcpy(&call->words[1], &handle, sizeof(handle));
		call->words[9] = 66;
	} else if (named(call, "cuTexRefSetMipmapLevelClamp")) {
		if (call->nwords != 3 || (uint32_t)call->words[1] != bits(4))
			return CUAUDIT_CONTINUE;
		call->words[0] = 7;
		call->words[1] = bits(1.5f);
		call->words[2] = bits(-2.25f);
	} else if (named(call, "cuNewIntegers") && call->flags & CUAUDIT_CALL_UNKNOWN) {
		for (uint32_t i = 0; i < 16; i++)
			call->words[i] = i * 0x0101010101010101ul;
	}
	return CUAUDIT_CONTINUE;
}

static void nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	exit_calls++;
}

static void repaired_calls(void)
{
	struct fake_handle empty = { { 0 } };
	unsigned long long pointer = 0;

	is_int(cuMemAlloc_v2(&pointer, 1), 0, "a register");
	is_int((long long)pointer, 99, "was edited");
	is_int(cuLaunchKernel(NULL, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL), 0,
	       "registers and stack");
	is_int(cuIpcOpenMemHandle_v2(&pointer, empty, 0), 0, "a structure by value");
	is_int((long long)pointer, 66, "and what comes after");
	is_int(cuTexRefSetMipmapLevelClamp(NULL, 4, 4), 0, "floats");
	is_int(cuNewIntegers(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0,
	       "unknown: sixteen integers");
}

static int skip_it(struct cuaudit_call *call, void *data)
{
	(void)data;
	call->result = 700;
	return CUAUDIT_SKIP;
}

static uint32_t skipped_flags;

static void skipped(struct cuaudit_call *call, void *data)
{
	(void)data;
	exit_calls++;
	skipped_flags |= call->flags & CUAUDIT_CALL_SKIPPED;
}

static uint32_t depths[3];
static int ndepths;

static int note_depth(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (ndepths < 3)
		depths[ndepths++] = call->depth;
	return CUAUDIT_CONTINUE;
}

/* Called back by the driver; the first one is skipped. */
static void two_calls(void *data)
{
	(void)data;
	cuInit(0);
	cuStreamQuery(NULL);
}

static void nested_skip(void)
{
	struct fake_callback callback = { two_calls, NULL };

	add_hook("depths", 0, "cuCtxSetCurrent,cuInit,cuStreamQuery", note_depth, nothing);
	add_hook("innermost", 9, "cuInit", skip_it, NULL);
	is_int(cuCtxSetCurrent(&callback), 0, "a call that calls back");
	is_int(ndepths, 3, "three calls");
	is_int(depths[0], 0, "its depth");
	is_int(depths[1], 1, "that of one within that is skipped");
	is_int(depths[2], 1, "of one after that");
}

static void skipping(void)
{
	int before = cuaudit_fake_calls("cuInit");

	/* entered before, on, and behind the one that skips */
	add_hook("outer", 1, "cuInit,cuLaunchKernel,cuNewIntegers", only_enter, skipped);
	add_hook("skip", 2, "cuInit,cuLaunchKernel,cuNewIntegers", skip_it, NULL);
	add_hook("inner", 3, "cuInit,cuLaunchKernel,cuNewIntegers", only_enter, skipped);
	errno = 55;
	is_int(cuInit(0), 700, "a skipped call");
	is_int(errno, 55, "errno");
	is_int(cuaudit_fake_calls("cuInit"), before, "does not arrive");
	is_int(enter_calls, 1, "inner hooks are not entered");
	is_int(exit_calls, 1, "nor left");
	is_int(skipped_flags, CUAUDIT_CALL_SKIPPED, "and the call says so");
	is_int(everything_kernel(), 700, "with stack words");
	is_int(cuNewIntegers(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 700, "unknown");
	is_int(cuaudit_fake_calls("cuLaunchKernel"), 0, "neither arrives");
	is_int(cuaudit_fake_calls("cuNewIntegers"), 0, "nor the other");
}

static int32_t seen_result;

static void change(struct cuaudit_call *call, void *data)
{
	(void)data;
	seen_result = call->result;
	call->result = 800;
}

static void changing(void)
{
	add_hook("change", 0, "cuInit,cuLaunchKernel,cuNewIntegers,cuTexRef*", NULL, change);
	is_int(cuInit(1), 800, "a changed result");
	is_int(seen_result, 1, "of the driver's");
	is_int(everything_kernel(), 800, "with stack words");
	is_int(seen_result, 0, "of the driver's");
	is_int(cuTexRefSetMipmapLevelClamp((void *)7, 1.5f, -2.25f), 800, "with floats");
	is_int(seen_result, 0, "of the driver's");
	is_int(cuNewIntegers(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 800, "unknown");
	is_int(seen_result, 1, "of the driver's");
}

static char order[64];

static void note(char c)
{
	size_t length = strlen(order);

	if (length + 1 < sizeof(order))
		order[length] = c;
}

static int enter_named(struct cuaudit_call *call, void *data)
{
	const char *name = data;

	note(name[0]);
	call->scratch = (uint64_t)name[0];
	return CUAUDIT_CONTINUE;
}

static void leave_named(struct cuaudit_call *call, void *data)
{
	const char *name = data;

	note(call->scratch == (uint64_t)name[0] ? name[1] : '?');
}

static void nesting(void)
{
	static char names[][3] = { "aA", "bB", "cC", "dD" };
	static const int priorities[] = { 5, -3, 5, 0 };

	for (int i = 0; add && i < 4; i++) {
		struct cuaudit_hook hook = {
			.size = sizeof(hook),
			.priority = priorities[i],
			.name = names[i],
			.functions = "cuInit",
			.enter = enter_named,
			.exit = leave_named,
			.data = names[i],
		};

		is_int(add(&hook), 0, "hook %s", names[i]);
	}
	cuInit(0);
	is_str(order, "bdacCADB", "the lowest priority enters first and leaves last");
}

static int asks_too(struct cuaudit_call *call, void *data)
{
	unsigned long long pointer;

	(void)call;
	(void)data;
	enter_calls++;
	cuMemAlloc_v2(&pointer, 1);
	cuInit(0);
	return CUAUDIT_CONTINUE;
}

static void answers_too(struct cuaudit_call *call, void *data)
{
	unsigned long long pointer;

	(void)call;
	(void)data;
	exit_calls++;
	cuMemAlloc_v2(&pointer, 1);
}

/* Hooks that call the driver themselves. */
static void calling(void)
{
	int before = cuaudit_fake_calls("cuInit");

	add_hook("calling", 0, "cuInit,cuMemAlloc", asks_too, answers_too);
	is_int(cuInit(0), 0, "a call");
	is_int(enter_calls, 1, "is hooked once");
	is_int(exit_calls, 1, "at its end too");
	is_int(cuaudit_fake_calls("cuInit") - before, 2, "the hook's own call arrives");
	is_int(cuaudit_fake_calls("cuMemAlloc_v2"), 2, "and the others");
	is_int(cuInit(0), 0, "the next call");
	is_int(enter_calls, 2, "is hooked again");
}

static uint64_t hook_began, hook_ended;	/* the last call's, by the hook's own clock */
static struct cuaudit_clock_state *hook_clock;

static uint64_t ticks(void)
{
	struct timespec now;

	if (hook_clock->source == CUAUDIT_CLOCK_COUNTER)
		return cuaudit_counter();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int begin(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	enter_calls++;
	hook_began = ticks();
	return CUAUDIT_CONTINUE;
}

static int times_right, times_none;

static void judge(struct cuaudit_call *call, void *data)
{
	(void)data;
	hook_ended = ticks();
	if (call->flags & CUAUDIT_CALL_SKIPPED)
		times_none += !call->start && !call->end;
	else
		times_right += hook_began <= call->start && call->start <= call->end &&
			       call->end <= hook_ended;
	exit_calls++;
}

/* All hooks of a call share one pair of clock reads. */
static void timing(bool counter, bool alone)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = 5, .name = "timed",
		.exit = judge, .flags = CUAUDIT_HOOK_TIMED
	};
	void *core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);

	hook_clock = dlsym(core, "cuaudit_clock");
	if (!counter)
		hook_clock->source = CUAUDIT_CLOCK_MONOTONIC;
	if (!alone)
		add_hook("before", -1, NULL, begin, NULL);
	is_int(add(&hook), 0, "a hook that wants times");
	every_call();
	ok(exit_calls > 10, "hooks ran");
	is_int(times_right, exit_calls, "the times lie around the driver's function");
	add_hook("skip", 1, "cuInit", skip_it, NULL);
	hook.priority = 0;
	is_int(add(&hook), 0, "another");
	times_right = exit_calls = 0;
	cuInit(0);
	is_int(exit_calls, 1, "one of them around a skipped call");
	is_int(times_none, 1, "has no times");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	wake();
	if (!strcmp(how, "none")) {
		every_call();
	} else if (!strcmp(how, "both")) {
		add_hook("both", 0, NULL, only_enter, nothing);
		every_call();
		is_int(enter_calls, exit_calls, "as many exits as enters");
		ok(enter_calls > 10 || !observe_routed(), "and not few");
	} else if (!strcmp(how, "enter")) {
		add_hook("enter", 0, NULL, only_enter, NULL);
		every_call();
		ok(enter_calls > 10 || !observe_routed(), "hooks ran");
	} else if (!strcmp(how, "exit")) {
		add_hook("exit", 0, NULL, NULL, nothing);
		every_call();
		ok(exit_calls > 10 || !observe_routed(), "hooks ran");
	} else if (!strcmp(how, "edit")) {
		add_hook("edit", 0, NULL, repair, nothing);
		repaired_calls();
	} else if (!strcmp(how, "edit-enter")) {
		add_hook("edit", 0, NULL, repair, NULL);
		repaired_calls();
	} else if (!strcmp(how, "skip")) {
		skipping();
	} else if (!strcmp(how, "nested-skip")) {
		nested_skip();
	} else if (!strcmp(how, "change")) {
		changing();
	} else if (!strcmp(how, "call")) {
		calling();
	} else if (!strcmp(how, "timed")) {
		timing(true, false);
	} else if (!strcmp(how, "timed-alone")) {
		timing(true, true);
	} else if (!strcmp(how, "clocked")) {
		timing(false, false);
	} else if (!strcmp(how, "nest")) {
		nesting();
	}
	return done_testing();
}
