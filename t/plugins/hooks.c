/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks may do, added and attached by a program that links to the core. */
#include <cuaudit/api.h>
#include <cuaudit/call.h>
#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/replace.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/routes/library.h"
#include "t/tap.h"

/* What hooks write of the calls they see, a word each. */
static char seen[1024];

static void note(const char *format, ...)
{
	size_t used = strlen(seen);
	va_list list;

	va_start(list, format);
	vsnprintf(seen + used, sizeof(seen) - used, format, list);
	va_end(list);
}

static bool saw(const char *want, const char *name)
{
	bool good = is_str(seen, want, "%s", name);

	seen[0] = '\0';
	return good;
}

static int enter(struct cuaudit_call *call, void *data)
{
	note("+%s", (const char *)data);
	call->scratch = *(const char *)data;
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	note("-%s%s", (const char *)data,
	     call->scratch == (uint64_t)*(const char *)data ? "" : "?");
}

/* Of a hook without an enter hook, which has no scratch. */
static void leave_only(struct cuaudit_call *call, void *data)
{
	(void)call;
	note("-%s", (const char *)data);
}

/* The usual hook of these tests, on one function. */
static struct cuaudit_hook hook_on(const char *functions, const char *data)
{
	return (struct cuaudit_hook){
		.size = sizeof(struct cuaudit_hook), .name = data, .functions = functions,
		.enter = enter, .exit = leave, .data = (void *)(uintptr_t)data,
	};
}

static int attach(const char *functions, const char *data, int priority)
{
	struct cuaudit_hook hook = hook_on(functions, data);

	hook.priority = priority;
	return cuaudit_hook_attach(&hook);
}

static void drop(int handle)
{
	is_int(cuaudit_hook_detach(handle), 0, "detached");
	is_int(cuaudit_hook_synchronize(handle, 1000), 0, "and given back");
}

/* The next hook is likely to be where the last one was. */
static void late(void)
{
	int first = attach("cuInit", "first", 0), second;

	drop(first);
	second = attach("cuInit", "second", 0);
	ok(first != second, "a handle is of one hook");
	is_int(cuaudit_hook_detach(first), -ENOENT, "one that was given back cannot be detached");
	is_int(cuaudit_hook_synchronize(first, 0), 0, "nor is there anything to wait for");
	cuInit(0);
	saw("+second-second", "what came into its place stays attached");
	drop(second);
}

static void nesting(void)
{
	int b = attach("cuInit", "b", 5), a = attach("cuInit", "a", -5);
	int d = attach("cuInit", "d", 9), c = attach("cuInit", "c", 5);

	ok(a > 0 && b > 0 && c > 0 && d > 0, "four hooks");
	cuInit(0);
	saw("+a+b+c+d-d-c-b-a", "by priority, then by age, each with its scratch word");
	drop(b);
	cuInit(0);
	saw("+a+c+d-d-c-a", "one is detached");
	is_int(cuaudit_hook_detach(b), -ENOENT, "it cannot be detached again");
	b = attach("cuInit", "b", 5);
	cuInit(0);
	saw("+a+c+b+d-d-b-c-a", "attached again, it is the youngest");
	drop(a), drop(b), drop(c), drop(d);
	cuInit(0);
	saw("", "none is left");
	is_int(cuaudit_hook_detach(0) + cuaudit_hook_detach(-1) + cuaudit_hook_detach(12345),
	       3 * -ENOENT, "what is no handle");
}

static int answers(struct cuaudit_call *call, void *data)
{
	call->result = *(int *)data;
	return CUAUDIT_SKIP;
}

static int edits(struct cuaudit_call *call, void *data)
{
	call->words[1] += *(size_t *)data;
	return CUAUDIT_CONTINUE;
}

static void turns(struct cuaudit_call *call, void *data)
{
	note("%d>", call->result);
	call->result += *(int *)data;
	if (call->flags & CUAUDIT_CALL_SKIPPED)
		note("skipped");
}

static void changes(void)
{
	struct cuaudit_hook hook = { .size = sizeof(hook), .functions = "cuMemAlloc" };
	unsigned long long pointer = 0;
	int calls = cuaudit_fake_calls("cuMemAlloc_v2");
	int skip, edit, turn, outer, inner;
	int result = 100, more = 7;
	size_t words = 4000;

	hook.enter = edits;
	hook.data = &words;
	edit = cuaudit_hook_attach(&hook);
	is_int(cuMemAlloc_v2(&pointer, 96), 0, "a call with an edited argument");
	is_int((long long)pointer, 4096, "arrived with it");
	hook.enter = NULL;
	hook.exit = turns;
	hook.data = &more;
	turn = cuaudit_hook_attach(&hook);
	is_int(cuMemAlloc_v2(&pointer, 0), 7, "a changed result");
	saw("0>", "was the driver's before");
	drop(edit);
	pointer = 1;
	hook = (struct cuaudit_hook){
		.size = sizeof(hook), .functions = "cuMemAlloc", .enter = answers, .data = &result,
	};
	skip = cuaudit_hook_attach(&hook);
	outer = attach("cuMemAlloc", "o", -1);
	inner = attach("cuMemAlloc", "i", 1);
	is_int(cuMemAlloc_v2(&pointer, 5), 107, "a hook's own answer, changed by another");
	is_int((long long)pointer, 1, "the driver was not called");
	saw("+o100>skipped-o", "later hooks are not entered, entered ones are left");
	is_int(cuaudit_fake_calls("cuMemAlloc_v2"), calls + 2, "of the calls two arrived");
	drop(skip), drop(turn), drop(outer), drop(inner);
}

static int own_handle;

static int detaches(struct cuaudit_call *call, void *data)
{
	call->scratch = 42;
	note("detach %d ", cuaudit_hook_detach(own_handle));
	note("again %d ", cuaudit_hook_detach(own_handle) == -ENOENT);
	note("wait %s ", strerror(-cuaudit_hook_synchronize(own_handle, 1000)));
	*(int *)data += 1;
	return CUAUDIT_CONTINUE;
}

static void left(struct cuaudit_call *call, void *data)
{
	note("left %d %d", (int)call->scratch, *(int *)data);
}

static void released(void *data)
{
	note("released %d", *(int *)data);
	*(int *)data = -1;
}

static void from_within(void)
{
	int data = 0;
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuInit,cuNewSelf", .enter = detaches,
		.exit = left, .data = &data, .released = released,
	};

	own_handle = cuaudit_hook_attach(&hook);
	is_int(cuaudit_hook_synchronize(own_handle, 0), -EBUSY, "attached hooks are not waited for");
	cuInit(0);
	saw("detach 0 again 1 wait Resource deadlock avoided left 42 1",
	    "a hook that detaches itself is left all the same");
	cuInit(0);
	saw("", "and not entered again");
	is_int(data, 1, "it is not given back by a call");
	is_int(cuaudit_hook_synchronize(own_handle, -1), 0, "but on request");
	saw("released 1", "by its own function");
	is_int(data, -1, "once");
	is_int(cuaudit_hook_synchronize(own_handle, -1), 0, "and again there is nothing to wait for");
	saw("", "nor to give back");
}

static pthread_barrier_t barrier;

static void wait_inside(void *data)
{
	(void)data;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static void *calls_back(void *data)
{
	cuLaunchHostFunc(NULL, wait_inside, NULL);
	return data;
}

static _Atomic int naps;	/* of who waits for a hook */

struct waiter {
	int handle, result;
	_Atomic bool done;
};

static void *waits(void *data)
{
	struct waiter *waiter = data;

	waiter->result = cuaudit_hook_synchronize(waiter->handle, -1);
	waiter->done = true;
	return data;
}

static void from_elsewhere(void)
{
	struct waiter waiter = { .result = 1 };
	int data = 5, other;
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuLaunchHostFunc", .enter = enter, .exit = leave,
		.data = &data, .released = released,
	};
	pthread_t thread, second;
	int handle;

	hook.data = (void *)(uintptr_t)"t";
	hook.released = NULL;
	handle = cuaudit_hook_attach(&hook);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, calls_back, NULL);
	pthread_barrier_wait(&barrier);
	is_int(cuaudit_hook_detach(handle), 0, "detached while another thread is inside");
	is_int(cuaudit_hook_synchronize(handle, 20), -ETIMEDOUT, "it stays inside");
	other = attach("cuLaunchHostFunc", "n", 0);
	ok(other > 0 && (other ^ handle) & 63, "nobody else takes its place");
	waiter.handle = handle;
	naps = 0;
	pthread_create(&second, NULL, waits, &waiter);
	while (naps < 3 && !waiter.done)
		sched_yield();
	ok(!waiter.done, "who waits as long as it takes");
	pthread_barrier_wait(&barrier);
	pthread_join(second, NULL);
	is_int(waiter.result, 0, "waits until it leaves");
	pthread_join(thread, NULL);
	saw("+t-t", "through the hook's exit, and the new one has not seen the call");
	drop(other);
}

/* A thread that ends within a call does not keep a hook for ever. */
static void end_thread(void *data)
{
	pthread_exit(data);
}

static void *ends_inside(void *data)
{
	cuLaunchHostFunc(NULL, end_thread, NULL);
	return data;
}

static void from_the_dead(void)
{
	int handle = attach("cuLaunchHostFunc", "e", 0);
	pthread_t thread;

	pthread_create(&thread, NULL, ends_inside, NULL);
	pthread_join(thread, NULL);
	saw("+e", "a thread ended in a call");
	drop(handle);
}

/* Of the thread's end, outside of all calls, a module asks for the driver's function. */
static int key;
static void *real_at_end;

static void at_end(void *block)
{
	*(int *)block += cuInit(0);
	real_at_end = cuaudit_real(CUAUDIT_ID_cuInit);
	note("end %d", *(int *)block);
}

static const struct cuaudit_module at_ends = {
	.size = sizeof(at_ends), .abi = CUAUDIT_ABI, .name = "at-ends", .thread_exit = at_end,
};

static int takes_block(struct cuaudit_call *call, void *data)
{
	int *block = cuaudit_thread_block((uint32_t)key);

	(void)call;
	(void)data;
	if (block)
		*block = 5;
	return CUAUDIT_CONTINUE;
}

static void *calls_init(void *data)
{
	cuInit(0);
	return data;
}

/* As the libc of another namespace, which has its key of that number in the same place. */
static void *calls_init_and_overwrites(void *data)
{
	enum { LAST_IN_THREAD = 31 };

	cuInit(0);
	if (!pthread_getspecific(LAST_IN_THREAD) || pthread_setspecific(LAST_IN_THREAD, &key))
		note("no key ");
	return data;
}

static void at_thread_end(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuInit", .enter = takes_block,
	};
	int handle = cuaudit_hook_attach(&hook);
	pthread_t thread;

	key = cuaudit_thread_key(sizeof(int), &at_ends);
	ok(key >= 0, "a module's key");
	is_int(cuaudit_thread_key(sizeof(int), NULL), -EINVAL, "none without a module");
	pthread_create(&thread, NULL, calls_init, NULL);
	pthread_join(thread, NULL);
	saw("end 5", "is told of the thread's end, and calls the driver");
	ok(real_at_end && real_at_end == cuaudit_real(CUAUDIT_ID_cuInit), "whose function it finds");
	pthread_create(&thread, NULL, calls_init_and_overwrites, NULL);
	pthread_join(thread, NULL);
	saw("end 5", "also where another namespace's key has taken the place of ours");
	drop(handle);
}

static void limits(void)
{
	int handles[CUAUDIT_HOOKS_MAX], all[CUAUDIT_HOOKS_ALL], count = 0, once;

	for (int i = 0; i < CUAUDIT_HOOKS_MAX; i++)
		handles[i] = attach("cuInit", "x", 0);
	is_int(attach("cuStreamQuery,cuInit", "y", 0), -ENOSPC, "more hooks than a function has");
	cuStreamQuery(NULL);
	saw("", "leave none behind");
	once = attach("cuStreamQuery", "w", 0);
	cuStreamQuery(NULL);
	saw("+w-w", "what takes the place is entered once");
	drop(once);
	for (int i = 0; i < CUAUDIT_HOOKS_MAX; i++)
		cuaudit_hook_detach(handles[i]);
	while (count < CUAUDIT_HOOKS_ALL && (all[count] = attach(count % 2 ? "cuInit" : "cuNew*",
								 "z", count)) > 0)
		count++;
	is_int(all[count < CUAUDIT_HOOKS_ALL ? count : 0], -ENOSPC, "more than a function has");
	while (count--)
		cuaudit_hook_detach(all[count]);
	cuInit(0);
	saw("", "all are gone");
}

/* A structure of another version, and what lies behind it. */
static void versions(void)
{
	struct {
		struct cuaudit_hook hook;
		uint64_t more[2];
	} newer = { .hook = hook_on("cuInit", "v") };
	struct cuaudit_hook older = hook_on("cuInit", "o");
	int handle;

	older.size = offsetof(struct cuaudit_hook, flags);
	older.flags = (uint32_t)-1;
	older.include = (const char *)1;
	older.exclude = (const char *)1;
	handle = cuaudit_hook_attach(&older);
	ok(handle > 0, "the first version's structure");
	cuInit(0);
	saw("+o-o", "is a hook, and what lies behind it is not read");
	drop(handle);
	older.size--;
	is_int(cuaudit_hook_attach(&older), -EINVAL, "a smaller one is none");
	newer.hook.size = sizeof(newer);
	handle = cuaudit_hook_attach(&newer.hook);
	ok(handle > 0, "a newer one that asks for nothing new");
	drop(handle);
	newer.more[1] = 1;
	is_int(cuaudit_hook_attach(&newer.hook), -E2BIG, "one that does");
	older = hook_on("cuInit", "o");
	older.flags = CUAUDIT_HOOK_PROVIDERS << 1;
	is_int(cuaudit_hook_attach(&older), -E2BIG, "a flag that only a newer version has");
	older = (struct cuaudit_hook){ .size = sizeof(older), .functions = "cuInit" };
	is_int(cuaudit_hook_add(&older), -EINVAL, "a hook without callbacks");
}

static void took(struct cuaudit_call *call, void *data)
{
	*(uint64_t *)data = call->end > call->start ? call->end - call->start : 0;
}

/* Of the last call in a test of times. */
static uint64_t before_call;

static void tells_times(struct cuaudit_call *call, void *data)
{
	bool none = !call->start && !call->end;
	bool good = call->start >= before_call && call->start < call->end &&
		    call->end <= cuaudit_ticks();

	(void)data;
	note(none ? "none" : good ? "good" : "neither");
}

/* A call that did not come to the driver took no time there. */
static void without_times(void)
{
	int result = 1, outer, skip;
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuInit", .exit = tells_times,
		.flags = CUAUDIT_HOOK_TIMED,
	};

	outer = cuaudit_hook_attach(&hook);
	before_call = cuaudit_ticks();
	cuInit(0);
	saw("good", "the times of a call");
	hook = (struct cuaudit_hook){
		.size = sizeof(hook), .functions = "cuInit", .enter = answers, .data = &result,
	};
	skip = cuaudit_hook_attach(&hook);
	cuInit(0);
	saw("none", "of one that a hook answered");
	drop(skip), drop(outer);
#ifdef __x86_64__
	ok(prctl(PR_GET_TSC, &result) || result != PR_TSC_SIGSEGV ||
	   cuaudit_clock.source == CUAUDIT_CLOCK_MONOTONIC, "the clock can be read");
#endif
}

/* The lists of the same hooks with and without times are not the same. */
static void times(void)
{
	uint64_t ticks = 0;
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuInit", .exit = took, .data = &ticks,
	};
	int outer = attach("cuInit", "o", -1);

	for (int i = 0; i < 4; i++) {
		int handle;

		hook.flags = i % 2 ? CUAUDIT_HOOK_TIMED : 0;
		hook.exit = i % 2 ? took : leave;
		hook.data = i % 2 ? (void *)&ticks : (void *)(uintptr_t)"n";
		handle = cuaudit_hook_attach(&hook);
		cuInit(0);
		drop(handle);
		ok(!(i % 2) == !ticks, "times where they are wanted");
		ticks = 0;
	}
	drop(outer);
	seen[0] = '\0';
	without_times();
}

static int asks_view(struct cuaudit_call *call, void *data)
{
	(void)data;
	note("+%d", cuaudit_call_is(call, CUAUDIT_ID_cuInit));
	return CUAUDIT_CONTINUE;
}

static void selectors(void)
{
	/* More than there are functions. */
	static uint8_t rows[1 << 14];
	static const struct cuaudit_hook asks = {
		.size = sizeof(asks), .functions = "cuNewSelf,cuInit", .enter = asks_view,
	};
	int handle = attach("!/^cu(Init|Driver)/,!cuNew*", "s", 0), taken = 0;

	ok(handle > 0, "a regex that takes away");
	cuInit(0);
	cuStreamQuery(NULL);
	cuNewSelf();
	saw("+s-s", "leaves the rest");
	drop(handle);
	memset(rows, 1, sizeof(rows));
	is_int(cuaudit_selector_rows("cuInit", rows, sizeof(rows)), 1, "rows of a selector");
	for (size_t i = 0; i < sizeof(rows); i++)
		taken += rows[i];
	ok(taken == 1 && rows[CUAUDIT_ID_cuInit] == 1, "and no more, also where there are no functions");
	is_int(attach("cuStreamQuery,cuStreamQurey", "wrong", 0), -ENOENT, "a name that is none");
	is_int(attach("%straem", "wrong", 0), -EINVAL, "a class that is none");
	is_int(attach("/cu(/", "wrong", 0), -EINVAL, "a bad regex");
	is_int(attach("cuStreamQurey", NULL, 0), -ENOENT, "the same of a hook without a name");
	handle = attach("cuNewSelf", "n", 0);
	ok(handle > 0, "a function that only the driver knows");
	cuNewSelf();
	saw("+n-n", "is hooked");
	drop(handle);
	handle = cuaudit_hook_attach(&asks);
	cuNewSelf();
	cuInit(0);
	saw("+0+1", "and has no typed view");
	drop(handle);
}

/* What is told of functions is what the table has. */
static void rows(void)
{
	static const struct {
		const char *name, *base;
		uint32_t version, nparams;
	} table[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
		[id] = { #symbol, #base, version, nparams },
#include <cuaudit/driver_api.def>
#undef CUAPI
	};
	const uint32_t count = sizeof(table) / sizeof(table[0]);
	const struct cuaudit_function *known;
	struct cuaudit_function row;
	unsigned int wrong = 0, found = 0;

	for (uint32_t id = 0; id < count; id++)
		wrong += cuaudit_row_get(id, &row) || strcmp(row.name, table[id].name) ||
			 strcmp(row.base, table[id].base) || row.id != (int32_t)id ||
			 row.version != table[id].version || row.nparams != table[id].nparams ||
			 row.slot != UINT32_MAX || !row.classes;
	is_int(wrong, 0, "rows of the table");
	ok(!cuaudit_real(-1) && !cuaudit_real(INT_MIN) && !cuaudit_real((int)count) && !cuaudit_real(INT_MAX),
	   "none of them is the driver's function of another number");
	is_int(cuaudit_row_get(count, &row), -ENOENT, "and none behind the last");
	wrong = 0;
	for (uint32_t slot = 0; (known = cuaudit_function_get(slot)); slot++) {
		wrong += known->slot != slot;
		if (known->id < 0)
			continue;
		found++;
		cuaudit_row_get((uint32_t)known->id, &row);
		wrong += strcmp(known->name, row.name) || known->version != row.version ||
			 known->nparams != row.nparams || known->classes != row.classes;
	}
	is_int(wrong, 0, "of the driver's functions %u are rows", found);
}

static int filtered(const char *include, const char *exclude)
{
	struct cuaudit_hook hook = hook_on("cuInit", "f");

	hook.include = include;
	hook.exclude = exclude;
	return cuaudit_hook_attach(&hook);
}

static void libraries(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*init)(void) = library ? (int (*)(void))dlsym(library, "library_init") : NULL;
	static const struct {
		const char *include, *exclude, *want, *name;
	} cases[] = {
		{ "libone*", NULL, "+l+f-f-l+p-p", "only a library's" },
		{ "(main)", NULL, "+l-l+p+f-f-p", "only the program's" },
		{ NULL, "libone.so", "+l-l+p+f-f-p", "all but the library's" },
		{ "*", "libone.so:(main)", "+l-l+p-p", "none's" },
		{ "", "", "+l+f-f-l+p+f-f-p", "all callers'" },
		{ "li[a-c]one.so", NULL, "+l+f-f-l+p-p", "a range's" },
		{ "li[^a]one.so", NULL, "+l+f-f-l+p-p", "all but a character's" },
		{ "lib[]\\o]ne.so", NULL, "+l+f-f-l+p-p", "a set's with a bracket first" },
		{ "lib\\one.so", NULL, "+l+f-f-l+p-p", "a quoted character's" },
		{ "lib[!o]ne.so:lib[p-z]ne.so:\\?ibone.so", NULL, "+l-l+p-p", "none of several" },
	};
	int other;

	ok(init, "a library");
	for (size_t i = 0; init && i < sizeof(cases) / sizeof(cases[0]); i++) {
		int handle = filtered(cases[i].include, cases[i].exclude);

		other = attach("cuInit", "l", -1);
		for (int twice = 0; twice < 2; twice++) {
			seen[0] = '\0';
			init();
			cuaudit_hook_detach(other);
			other = attach("cuInit", "p", -1);
			cuInit(0);
			cuaudit_hook_detach(other);
			other = attach("cuInit", "l", -1);
			is_str(seen, cases[i].want, "calls: %s", cases[i].name);
		}
		seen[0] = '\0';
		drop(handle), drop(other);
	}
	dlclose(library);
}

static uint32_t depths[8], ndepths;

static int asks(struct cuaudit_call *call, void *data)
{
	void *context;

	(void)data;
	depths[ndepths++ % 8] = call->depth;
	cuCtxGetCurrent(&context);
	cuInit(0);
	return CUAUDIT_CONTINUE;
}

/* Calls that no hook sees the end of are not counted in depths. */
static void ends(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}

static void *init_once(void *data)
{
	cuInit(0);
	return data;
}

static void init_here_and_there(void *data)
{
	pthread_t thread;

	(void)data;
	cuInit(0);
	pthread_create(&thread, NULL, init_once, NULL);
	pthread_join(thread, NULL);
}

static void recursion(void)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "cuInit,cuCtxGetCurrent,cuLaunchHostFunc",
		.enter = asks, .exit = ends,
	};
	uint64_t unhooked = cuaudit_unhooked_calls();
	int handle = cuaudit_hook_attach(&hook);

	ok(handle > 0, "a hook that calls the driver");
	cuLaunchHostFunc(NULL, init_here_and_there, NULL);
	is_int(ndepths, 3, "a hook's own calls are not hooked, a callback's are");
	is_int(depths[0], 0, "the depth of the call");
	is_int(depths[1], 1, "of one in its callback");
	is_int(depths[2], 0, "of one on another thread meanwhile");
	is_int((long long)(cuaudit_unhooked_calls() - unhooked), 6, "calls of the hook bypass hooks");
	drop(handle);
}

/*
 * A hook takes another one's place in the middle of a call that began before: it sees the whole
 * of the call, with the times it asked for, or nothing.
 */
static struct cuaudit_hook successor;
static int predecessor, successor_handle;

static int exchange(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	if (predecessor) {
		cuaudit_hook_detach(predecessor);
		cuaudit_hook_synchronize(predecessor, 1000);
		successor_handle = cuaudit_hook_attach(&successor);
		predecessor = 0;
	}
	return CUAUDIT_CONTINUE;
}

static void leave_timed(struct cuaudit_call *call, void *data)
{
	leave(call, data);
	if (call->start < before_call || call->end <= call->start || call->end > cuaudit_ticks())
		note(" without times");
}

static void exchanged(cuaudit_exit_fn before, cuaudit_exit_fn after, const char *whole)
{
	struct cuaudit_hook outer = {
		.size = sizeof(outer), .functions = "cuInit", .enter = exchange, .priority = -1,
	}, first = hook_on("cuInit", "p");
	int handle = cuaudit_hook_attach(&outer);

	first.exit = before;
	successor = hook_on("cuInit", "s");
	successor.exit = after;
	successor.flags = after == leave_timed ? CUAUDIT_HOOK_TIMED : 0;
	predecessor = cuaudit_hook_attach(&first);
	before_call = cuaudit_ticks();
	cuInit(0);
	ok(!*seen || !strcmp(seen, whole), "the call's hook is exchanged: '%s'", seen);
	seen[0] = '\0';
	before_call = cuaudit_ticks();
	cuInit(0);
	saw(whole, "the next call");
	drop(handle), drop(successor_handle);
}

static void exchanges(void)
{
	exchanged(NULL, NULL, "+s");
	exchanged(leave, NULL, "+s");
	exchanged(NULL, leave, "+s-s");
	exchanged(leave, leave, "+s-s");
	exchanged(NULL, leave_timed, "+s-s");
	exchanged(leave, leave_timed, "+s-s");
}

/* What happens when the core asks for all threads' barriers; it holds a lock there. */
static void (*at_barrier)(void);
static int registrations, refusals;
static bool forbids_reads, forbids_barriers;

/* In the core's place of libc's. */
__attribute__((weak)) long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_membarrier && a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED && at_barrier)
		at_barrier();
	naps += number == SYS_clock_nanosleep;
	if ((number == SYS_process_vm_readv && forbids_reads) ||
	    (number == SYS_membarrier && a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED && forbids_barriers)) {
		errno = EPERM;
		return -1;
	}
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_membarrier) {
		registrations += a[0] == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
		refusals += result != 0;
	}
	return result;
}

static void call_init(void)
{
	cuInit(0);
	note("barrier ");
}

/* A kernel without them has the calls order what they do themselves. */
static bool has_barriers(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

static bool barriers(void)
{
	int before = registrations;
	int handle = attach("cuInit", "b", 0);
	bool good;

	is_int(before, 1, "the kernel was asked once for barriers");
	at_barrier = call_init;
	cuaudit_hook_detach(handle);
	at_barrier = NULL;
	good = saw(has_barriers() ? "barrier " : "",
		   "a hook is closed, then all threads are made to see it");
	is_int(cuaudit_hook_synchronize(handle, 1000), 0, "then it is given back");
	return good && has_barriers();
}

/* As by a filter of system calls that is younger than the first hook. */
static void barriers_refused(void)
{
	int handle = attach("cuInit", "r", 0), before = naps;

	forbids_barriers = true;
	errno = 77;
	cuaudit_hook_detach(handle);
	is_int(errno, 77, "errno is left alone where barriers are refused");
	forbids_barriers = false;
	is_int(naps - before, has_barriers(), "a moment is waited instead");
	is_int(cuaudit_hook_synchronize(handle, 1000), 0, "the hook is given back");
}

/* Around the end of a page, and of all memory. */
static void safe_reads(const char *how)
{
	enum { PAGE = 4096 };
	char *pages = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char to[3 * PAGE];
	const struct {
		const void *from;
		size_t size;
		int want;
	} cases[] = {
		{ pages, PAGE, 0 },
		{ pages + PAGE - 1, 1, 0 },
		{ pages + PAGE - 1, 2, -EFAULT },
		{ pages + PAGE - 16, PAGE + 17, -EFAULT },
		{ pages + PAGE, 1, -EFAULT },
		{ pages + 2 * PAGE - 1, 2, -EFAULT },
		{ pages + 2 * PAGE, 2 * PAGE, 0 },
		{ pages + 3 * PAGE - 1, PAGE + 1, 0 },
		{ pages + 3 * PAGE - 1, PAGE + 2, -EFAULT },
		{ NULL, 8, -EFAULT },
		{ (const void *)8, 8, -EFAULT },
		{ (const void *)-8, 16, -EFAULT },
		{ (const void *)-8, 8, -EFAULT },
	};
	int wrong = 0, errors = 0;

	mprotect(pages + PAGE, PAGE, PROT_NONE);
	mprotect(pages + 4 * PAGE, PAGE, PROT_NONE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int result;

		errno = 77;
		result = cuaudit_safe_read(cases[i].from, to, cases[i].size);
		errors += errno != 77;
		if (result != cases[i].want)
			diag("%s: case %zu: %d", how, i, result);
		wrong += result != cases[i].want;
	}
	is_int(wrong, 0, "safe reads: %s", how);
	is_int(errors, 0, "errno is left alone");
}

static void wait_twice(void)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static void *detach_one(void *handle)
{
	cuaudit_hook_detach(*(int *)handle);
	return handle;
}

static bool attach_in_handler;

/* A fork handler that is older than the core's. */
static void handle_fork(void)
{
	int handle;

	if (!attach_in_handler)
		return;
	/* One that waits for a lock does so with signals blocked. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle = attach("cuInit", "h", 0);
	if (handle > 0)
		cuaudit_hook_detach(handle);
}

/* For a core without the processor's counter, which ends the program that reads it. */
static void forbid_counter(char **envp)
{
#ifdef __x86_64__
	for (; *envp; envp++)
		if (!strcmp(*envp, "HOOKS_NO_COUNTER=1"))
			prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
#else
	(void)envp;
#endif
}

/* libc's own reads it. */
__attribute__((weak)) int clock_gettime(clockid_t id, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, id, now);
}

static void register_handler(int argc, char **argv, char **envp)
{
	(void)argc, (void)argv;
	pthread_atfork(NULL, NULL, handle_fork);
	forbid_counter(envp);
}

__attribute__((section(".preinit_array"), used))
static void (*const before_all)(int, char **, char **) = register_handler;

/* Another thread holds a lock of the core for as long as the fork takes. */
static void fork_among_locks(void)
{
	int handle = attach("cuInit", "l", 0), status;
	pthread_t thread;
	pid_t child;

	pthread_barrier_init(&barrier, NULL, 2);
	at_barrier = wait_twice;
	pthread_create(&thread, NULL, detach_one, &handle);
	pthread_barrier_wait(&barrier);
	at_barrier = NULL;
	attach_in_handler = true;
	alarm(300);
	child = fork();
	attach_in_handler = false;
	if (!child) {
		int more = attach("cuInit", "m", 0);

		_exit(more < 0 || cuaudit_hook_detach(more));
	}
	waitpid(child, &status, 0);
	alarm(0);
	is_int(status, 0, "a child's locks are free, in handlers of the program too");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	is_int(cuaudit_hook_synchronize(handle, 1000), 0, "the parent goes on");
	seen[0] = '\0';
}

/*
 * Each thread is told of a new user by a signal, and who sets it waits for all: one that holds
 * a lock of the core must let that through.
 */
static void set_user_among_locks(void)
{
	int handle = attach("cuInit", "u", 0);
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	at_barrier = wait_twice;
	pthread_create(&thread, NULL, detach_one, &handle);
	pthread_barrier_wait(&barrier);
	at_barrier = NULL;
	alarm(300);
	is_int(setuid(getuid()), 0, "the user is set while another thread holds a lock");
	alarm(0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	is_int(cuaudit_hook_synchronize(handle, 1000), 0, "which goes on");
}

/* Threads of a child are known to be inside of a hook as any. */
static bool child_keeps_hooks(void)
{
	int handle = attach("cuLaunchHostFunc", "k", 0), early;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, calls_back, NULL);
	pthread_barrier_wait(&barrier);
	cuaudit_hook_detach(handle);
	early = cuaudit_hook_synchronize(handle, 20);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return early == -ETIMEDOUT && !cuaudit_hook_synchronize(handle, -1);
}

/* There are filters that end a process for asking. */
static void child_without_hooks(void)
{
	int status;
	pid_t child;

	cuInit(0);
	child = fork();
	if (!child)
		_exit(registrations);
	waitpid(child, &status, 0);
	is_int(status, 0, "without hooks that come and go, a child does not ask for barriers");
}

/* The thread that makes the call is not in the child: nobody is inside of the hook there. */
static int handle_of_caller, child_status;

static void *forks(void *data)
{
	pid_t child;

	cuInit(0);
	child = fork();
	if (!child) {
		cuaudit_hook_detach(handle_of_caller);
		_exit(cuaudit_hook_synchronize(handle_of_caller, 1000) != 0);
	}
	waitpid(child, &child_status, 0);
	return data;
}

static void fork_in_thread(void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, forks, data);
	pthread_join(thread, NULL);
}

static void child_of_a_thread(void)
{
	handle_of_caller = attach("cuInit,cuLaunchHostFunc", "f", 0);
	cuLaunchHostFunc(NULL, fork_in_thread, NULL);
	is_int(child_status, 0, "what other threads were inside of is free in a child");
	seen[0] = '\0';
	drop(handle_of_caller);
}

static void children(void)
{
	int handle = attach("cuStreamQuery", "c", 0), asked = registrations, refused = refusals, status;
	pthread_t thread;
	pid_t child;

	/* One has ended, and left what the next has. */
	pthread_create(&thread, NULL, init_once, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (!child)
		_exit(!child_keeps_hooks());
	waitpid(child, &status, 0);
	is_int(status, 0, "a child's threads keep hooks");
	drop(handle);
	handle = attach("cuInit", "c", 0);
	child = fork();
	if (!child) {
		int more = attach("cuInit", "d", 0);

		cuInit(0);
		cuaudit_hook_detach(handle);
		cuInit(0);
		_exit(strcmp(seen, "+c+d-d-c+d-d") || more < 0 ||
		      cuaudit_hook_synchronize(handle, 1000) || registrations != asked ||
		      refusals != refused);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "a child attaches and detaches");
	cuInit(0);
	saw("+c-c", "the parent does not see it");
	drop(handle);
}

int main(int argc, char **argv)
{
	struct cuaudit_hook hook = hook_on("cuInit", "a"), of_library, of_main, entering, leaving;
	void *library;

	if (argc > 2) {
		is_int(cuaudit_hook_add(&hook), -ENODEV, "a process that is not audited");
		is_int(cuaudit_hook_attach(&hook), -ENODEV, "takes no hooks");
		is_int(cuaudit_hook_detach(1), -ENOENT, "and has none");
		return done_testing();
	}
	child_without_hooks();
	late();
	nesting();
	changes();
	from_within();
	from_elsewhere();
	from_the_dead();
	limits();
	versions();
	times();
	selectors();
	rows();
	libraries(argv[1]);
	recursion();
	exchanges();
	if (barriers()) {
		fork_among_locks();
		set_user_among_locks();
	}
	barriers_refused();
	children();
	child_of_a_thread();
	safe_reads("by the kernel");
	forbids_reads = true;
	safe_reads("page by page");
	forbids_reads = false;
	at_thread_end();
	is_int(cuaudit_hook_add(&hook), 0, "a hook for good");
	cuInit(0);
	saw("+a-a", "is entered");
	of_library = hook_on("cuInit", "l");
	of_library.include = "libone*";
	of_main = hook_on("cuInit", "m");
	of_main.exclude = "libone*";
	is_int(cuaudit_hook_add(&of_library) + cuaudit_hook_add(&of_main), 0,
	       "two for good, of some libraries");
	entering = leaving = of_library;
	entering.data = (void *)"e", entering.exit = NULL;
	leaving.data = (void *)"x", leaving.enter = NULL, leaving.exit = leave_only;
	is_int(cuaudit_hook_add(&entering) + cuaudit_hook_add(&leaving), 0,
	       "one that only enters, one that only leaves");
	cuInit(0);
	saw("+a+m-m-a", "are entered by the calls of these");
	library = dlopen(argv[1], RTLD_NOW);
	if (library)
		((int (*)(void))dlsym(library, "library_init"))();
	saw("+a+l+e-x-l-a", "each");
	hook.name = "attached";
	hook.exclude = "libonn*";
	ok(cuaudit_hook_attach(&hook) > 0, "one that stays until the end");
	return done_testing();
}
