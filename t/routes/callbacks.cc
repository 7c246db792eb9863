/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves driver calls from their callbacks: by exceptions, by longjmp, by neither. Arguments: alone, direct. */
#include <csetjmp>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

enum way { TWO, REGISTERS, STACK, LAUNCH, FULL, WAYS };

static const char *const names[WAYS] = {
	"cuCtxSetCurrent", "cuLaunchHostFunc", "cuLaunchCooperativeKernel", "cuLaunchKernel",
	"cuNewCallback",
};

static uint32_t depth_of_init, deepest;

static int note_depth(struct cuaudit_call *call, void *)
{
	if (!strcmp(call->function->name, "cuInit"))
		depth_of_init = call->depth;
	if (call->depth > deepest)
		deepest = call->depth;
	return CUAUDIT_CONTINUE;
}

/*
 * Has the driver call function, through each of the trampolines. The frame is
 * large: a call made after this one was left lies above it on the stack, which
 * is what tells the core.
 */
static __attribute__((noinline)) int call_back(int way, void (*function)(void *), void *data)
{
	volatile char large[4096];
	struct fake_callback callback = { function, data };

	large[0] = large[sizeof(large) - 1] = (char)way;
	switch (way) {
	case TWO:
		return cuCtxSetCurrent(&callback);
	case REGISTERS:
		return cuLaunchHostFunc(NULL, function, data);
	case STACK:
		return cuLaunchCooperativeKernel(function, 2, 3, 4, 5, 6, 7, 8, (void *)9, data);
	case LAUNCH:
		return cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void **)&callback,
				      (void **)12);
	default:
		return cuNewCallback(function, data);
	}
}

static void check_depth(uint32_t want, const char *when)
{
	cuInit(0);
	if (observe_routed())
		is_int(depth_of_init, want, "the depth of a call %s", when);
}

static void thrower(void *)
{
	check_depth(1, "in a callback");
	throw std::runtime_error("out of a callback");
}

static void throw_through(int way)
{
	bool caught = false;

	try {
		call_back(way, thrower, NULL);
	} catch (const std::runtime_error &error) {
		caught = !strcmp(error.what(), "out of a callback");
	}
	ok(caught, "%s: the exception came through", names[way]);
	check_depth(0, "after an exception");
}

static jmp_buf target;

static void jumper(void *)
{
	check_depth(1, "in a callback");
	longjmp(target, 1);
}

static void jump_out(int way)
{
	if (!setjmp(target)) {
		call_back(way, jumper, NULL);
		ok(false, "not reached");
	}
	check_depth(0, "after a longjmp");
}

/* Whether backtrace() gets from here to main. */
static void trace(void *data)
{
	void *frames[64];
	int count = backtrace(frames, 64);
	bool *reached = (bool *)data;

	for (int i = 0; i < count; i++) {
		Dl_info info;

		if (dladdr(frames[i], &info) && info.dli_sname && !strcmp(info.dli_sname, "main"))
			*reached = true;
	}
}

/* What a thread's end unwinds through. */
static void end_thread(void *)
{
	pthread_exit((void *)7);
}

static void *calls_once(void *data)
{
	call_back((int)(long)data, end_thread, NULL);
	return NULL;
}

static void *first_depth(void *)
{
	cuInit(0);
	return (void *)(long)depth_of_init;
}

static void thread_exits(int way)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, calls_once, (void *)(long)way);
	pthread_join(thread, &result);
	is_int((long)result, 7, "%s: a thread ends in a callback", names[way]);
	pthread_create(&thread, NULL, first_depth, NULL);
	pthread_join(thread, &result);
	is_int((long)result, 0, "%s: the depth of the next thread's call", names[way]);
}

struct recursion {
	int way, left;
};

static void recurse(void *data)
{
	struct recursion *recursion = (struct recursion *)data;

	if (recursion->left--)
		call_back(recursion->way, recurse, data);
	else
		cuInit(0);
}

/*
 * A tree of calls, each made in a callback of the one before, by any trampoline: some are left
 * by an exception, one or several at once. A call's depth is how many it is inside of.
 */
enum { TALLEST = 20, NODES = 3000 };

struct unwinding {
	int level;	/* as far as there */
};

static uint32_t tree_state = 1;
static int nodes, tallest, unwound, wrong_depths;

static int chance(int below)
{
	tree_state = tree_state * 1664525 + 1013904223;
	return (int)((tree_state >> 8) % (uint32_t)below);
}

static void compare_depth(int want)
{
	cuInit(0);
	wrong_depths += observe_routed() && depth_of_init != (uint32_t)want;
}

static void grow(void *data)
{
	const int level = *(int *)data;

	if (level > tallest)
		tallest = level;
	for (int children = 1 + chance(3); children > 0 && level < TALLEST; children--) {
		int next = level + 1;

		compare_depth(level);
		if (nodes++ > NODES)
			break;
		try {
			call_back(chance(WAYS), grow, &next);
		} catch (const unwinding &left) {
			unwound++;
			if (left.level < level)
				throw;
		}
		compare_depth(level);
	}
	if (level && !chance(3))
		throw unwinding{ chance(level) };
}

static void grow_trees(void)
{
	long long before = (long long)observe_unwound_calls();
	int root = 0;

	while (nodes < NODES)
		grow(&root);
	ok(tallest == TALLEST && unwound > 100, "trees of %d calls, %d of them left, up to %d deep",
	   nodes, unwound, tallest);
	is_int(wrong_depths, 0, "the depths of the calls in them");
	if (observe_routed())
		is_int((long long)observe_unwound_calls() - before, unwound, "the calls that were left");
}

static void note_stack(void *data)
{
	*(uintptr_t *)data = (uintptr_t)__builtin_frame_address(0);
}

/* A hook's own ways take little of the stack; cuNewCallback, of no known arguments, has none. */
static void compare_stacks(void)
{
	uintptr_t at[WAYS];

	for (int way = 0; way < WAYS; way++)
		call_back(way, note_stack, &at[way]);
	ok(at[TWO] - at[FULL] > 600, "%s takes %lu bytes less", names[TWO],
	   (unsigned long)(at[TWO] - at[FULL]));
	ok(at[LAUNCH] - at[FULL] > 600, "%s takes %lu bytes less", names[LAUNCH],
	   (unsigned long)(at[LAUNCH] - at[FULL]));
}

/* alone: calls but cuInit's are left to the hooks there are; direct: which have ways of their own. */
int main(int argc, char **argv)
{
	struct cuaudit_hook hook = {};
	int (*add)(const struct cuaudit_hook *);
	long long unwound;

	observe_only = argc > 1 && !strcmp(argv[1], "alone") ? "cuInit" : NULL;
	observe_start(RTLD_DEFAULT);
	hook.size = sizeof(hook);
	hook.name = "depth";
	hook.enter = note_depth;
	hook.functions = observe_only;
	add = (int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	if (add)
		is_int(add(&hook), 0, "a hook");

#ifdef __x86_64__
	if (argc > 2 && !strcmp(argv[2], "direct") && !observe_symtab_interposed())
		compare_stacks();
#endif
	for (int way = 0; way < WAYS; way++) {
		bool reached = false;

		is_int(call_back(way, trace, &reached), 0, "%s", names[way]);
		ok(reached, "%s: backtrace() reaches main from a callback", names[way]);
	}
	is_int((long long)observe_unwound_calls(), 0, "no call was left");
	for (int way = 0; way < WAYS; way++)
		throw_through(way);
	if (observe_routed())
		is_int((long long)observe_unwound_calls(), WAYS, "calls left by exceptions");
	for (int way = 0; way < WAYS; way++)
		jump_out(way);
	if (observe_routed())
		is_int((long long)observe_unwound_calls(), 2 * WAYS, "and by longjmps");
	for (int way = 0; way < WAYS; way++) {
		struct recursion recursion = { way, 500 };

		deepest = 0;
		is_int(call_back(way, recurse, &recursion), 0, "%s: 501 calls deep", names[way]);
		is_int(recursion.left, -1, "all of them");
		if (observe_routed())
			is_int(deepest, 501, "the deepest knows its depth");
		check_depth(0, "after all of them");
	}
	if (observe_routed())
		is_int(observe_enters("cuInit") - observe_exits("cuInit"), 0, "enters and exits");
	grow_trees();
	unwound = (long long)observe_unwound_calls();
	for (int way = 0; way < WAYS; way++)
		thread_exits(way);
	if (observe_routed()) {
		is_int((long long)observe_unwound_calls(), unwound + WAYS, "and by the ends of threads");
		is_int((long long)observe_unhooked_calls(), 0, "no call went past the hooks");
	}
	return done_testing();
}
