/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a routed call, by what is done with it: one JSON line a
 * measure, in nanoseconds and as the difference to a plain call of the same
 * run. bare_added_ns is that difference for the bare calls: a jump, the
 * hooks' functions and the driver's, called with nothing between, as no
 * routing can do without. Arguments: which measures, how many threads, what
 * to call them.
 */
#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

enum { CALLS = 200000, ROUNDS = 41, THREADS = 16, COLD_CALLS = 200, COLD_BYTES = 2 << 20, LINE = 64 };

typedef int (*call_fn)(void *argument);
typedef int (*create_fn)(void **object, unsigned int flags);
typedef int (*launch_fn)(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
			 unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
			 void *stream, void **params, void **extra);
typedef int (*add_fn)(const struct cuaudit_hook *hook);

void *bench_raw(const char *name);

/* In empty.c. */
int bench_enter(struct cuaudit_call *call, void *data);
void bench_exit(struct cuaudit_call *call, void *data);

static add_fn add;

static double time_calls(call_fn call)
{
	void *word = NULL;	/* a thread's own: what it calls may write there */
	double start = now();

	for (int i = 0; i < CALLS; i++)
		call(&word);
	return (now() - start) / CALLS;
}

static double time_launches(launch_fn launch)
{
	double start = now();

	for (int i = 0; i < CALLS; i++)
		launch((void *)64, 1, 2, 3, 4, 5, 6, 7, (void *)64, NULL, NULL);
	return (now() - start) / CALLS;
}

/* Of launches between which a program has used the cache: it holds nothing of what is ours. */
static double time_cold(launch_fn launch)
{
	static volatile char lines[COLD_BYTES];
	double sum = 0, start;

	for (int i = 0; i < COLD_CALLS; i++) {
		for (int at = 0; at < COLD_BYTES; at += LINE)
			lines[at]++;
		start = now();
		launch((void *)64, 1, 2, 3, 4, 5, 6, 7, (void *)64, NULL, NULL);
		sum += now() - start;
	}
	return sum / COLD_CALLS;
}

static double time_lives(create_fn create, call_fn destroy)
{
	void *object = NULL;
	double start = now();

	for (int i = 0; i < CALLS; i++) {
		create(&object, 0);
		destroy(object);
	}
	return (now() - start) / CALLS;
}

typedef int (*take_fn)(unsigned long long *address, size_t size);
typedef int (*give_fn)(unsigned long long address);

static double time_pairs(take_fn take, give_fn give)
{
	unsigned long long address;
	double start = now();

	for (int i = 0; i < CALLS; i++) {
		take(&address, 4096);
		give(address);
	}
	return (now() - start) / CALLS;
}

static int enter_nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	return CUAUDIT_CONTINUE;
}

static void exit_nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}

static __thread uint64_t counted __attribute__((tls_model("initial-exec")));

static int enter_count(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	counted++;
	return CUAUDIT_CONTINUE;
}

/* The bare calls. What they call is read from memory each time, as ours is. */
static call_fn bare_driver;
static volatile cuaudit_enter_fn bare_enter = enter_nothing, bare_count = enter_count;
static volatile cuaudit_exit_fn bare_exit = exit_nothing;

static __attribute__((noinline)) int bare_hooks(void *argument)
{
	int result;

	bare_enter(NULL, argument);
	result = bare_driver(argument);
	bare_exit(NULL, argument);
	return result;
}

static __attribute__((noinline)) int bare_counter(void *argument)
{
	bare_count(NULL, argument);
	return bare_driver(argument);
}

static uint64_t bare_ticks;

static __attribute__((noinline)) int bare_clock(void *argument)
{
	uint64_t start = __builtin_ia32_rdtsc();
	int result = bare_driver(argument);

	bare_ticks = __builtin_ia32_rdtsc() - start;
	bare_exit(NULL, argument);
	return result;
}

static volatile call_fn bare_route;

static __attribute__((noinline)) int bare_stub(void *argument)
{
	return bare_route(argument);
}

/*
 * The three in turn, so that what disturbs one disturbs the others; medians.
 * times: how many times the bare calls it may add, 0 for no limit.
 */
static void compare_calls(const char *measure, const char *name, double limit, call_fn bare,
			  double times)
{
	call_fn plain = (call_fn)bench_raw(name);
	call_fn routed = (call_fn)dlsym(RTLD_DEFAULT, name);
	double a[ROUNDS], b[ROUNDS], c[ROUNDS], d[ROUNDS], t[ROUNDS];

	if (!plain || !routed || plain == routed) {
		fprintf(stderr, "%s is not intercepted\n", name);
		exit(1);
	}
	bare_driver = plain;
	bare_route = bare;
	time_calls(routed);
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_calls(plain);
		b[i] = time_calls(routed);
		c[i] = bare ? time_calls(bare_stub) - a[i] : 0;
		d[i] = b[i] - a[i];
		t[i] = d[i] / c[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"added_at_most_ns\":%.1f",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(d, ROUNDS), limit);
	if (bare)
		printf(",\"bare_added_ns\":%.2f,\"times_bare\":%.2f,\"times_bare_at_most\":%.1f",
		       median(c, ROUNDS), median(t, ROUNDS), times);
	printf("}\n");
}

static void compare_launches(const char *measure, double limit, double (*take)(launch_fn launch))
{
	launch_fn plain = (launch_fn)bench_raw("cuLaunchKernel");
	launch_fn routed = (launch_fn)dlsym(RTLD_DEFAULT, "cuLaunchKernel");
	double a[ROUNDS], b[ROUNDS], d[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		a[i] = take(plain);
		b[i] = take(routed);
		d[i] = b[i] - a[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"added_at_most_ns\":%.1f}\n",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(d, ROUNDS), limit);
}

/* An object made and destroyed: two calls. */
static void compare_lives(const char *measure)
{
	create_fn plain = (create_fn)bench_raw("cuEventCreate");
	create_fn routed = (create_fn)dlsym(RTLD_DEFAULT, "cuEventCreate");
	call_fn plain_end = (call_fn)bench_raw("cuEventDestroy_v2");
	call_fn routed_end = (call_fn)dlsym(RTLD_DEFAULT, "cuEventDestroy_v2");
	double a[ROUNDS], b[ROUNDS], d[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_lives(plain, plain_end);
		b[i] = time_lives(routed, routed_end);
		d[i] = b[i] - a[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"added_at_most_ns\":0.0}\n",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(d, ROUNDS));
}

/* limit: how many times two clock reads it may add; beside these between the bare calls. */
static void compare_clocks(const char *measure, const char *name, double limit)
{
	call_fn plain = (call_fn)bench_raw(name);
	call_fn routed = (call_fn)dlsym(RTLD_DEFAULT, name);
	double a[ROUNDS], b[ROUNDS], c[ROUNDS], d[ROUNDS], r[ROUNDS], t[ROUNDS];

	bare_driver = plain;
	bare_route = bare_clock;
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_calls(plain);
		b[i] = time_calls(routed) - a[i];
		c[i] = time_clocks(CALLS);
		d[i] = time_calls(bare_stub) - a[i];
		r[i] = b[i] / c[i];
		t[i] = b[i] / d[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"added_ns\":%.2f,\"two_clock_reads_ns\":%.2f,"
	       "\"ratio\":%.3f,\"ratio_at_most\":%.2f,\"bare_added_ns\":%.2f,\"times_bare\":%.2f}\n",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(c, ROUNDS),
	       median(r, ROUNDS), limit, median(d, ROUNDS), median(t, ROUNDS));
}

/* A launch, all of whose arguments but the kernel's own are wanted. */
static void compare_launch_clocks(const char *measure, double limit)
{
	launch_fn plain = (launch_fn)bench_raw("cuLaunchKernel");
	launch_fn routed = (launch_fn)dlsym(RTLD_DEFAULT, "cuLaunchKernel");
	double a[ROUNDS], b[ROUNDS], c[ROUNDS], r[ROUNDS];

	time_launches(routed);
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_launches(plain);
		b[i] = time_launches(routed) - a[i];
		c[i] = time_clocks(CALLS);
		r[i] = b[i] / c[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"added_ns\":%.2f,\"two_clock_reads_ns\":%.2f,"
	       "\"ratio\":%.3f,\"ratio_at_most\":%.2f}\n",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(c, ROUNDS),
	       median(r, ROUNDS), limit);
}

/* An allocation and its free. */
static void compare_pairs(const char *measure)
{
	static const char take[] = "cuMemAlloc_v2", give[] = "cuMemFree_v2";
	take_fn takes[] = { (take_fn)bench_raw(take), (take_fn)dlsym(RTLD_DEFAULT, take) };
	give_fn gives[] = { (give_fn)bench_raw(give), (give_fn)dlsym(RTLD_DEFAULT, give) };
	double a[ROUNDS], b[ROUNDS], d[ROUNDS];

	time_pairs(takes[1], gives[1]);
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_pairs(takes[0], gives[0]);
		b[i] = time_pairs(takes[1], gives[1]);
		d[i] = b[i] - a[i];
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"added_at_most_ns\":0.0}\n",
	       measure, median(a, ROUNDS), median(b, ROUNDS), median(d, ROUNDS));
}

static void hook(const char *name, cuaudit_enter_fn enter, cuaudit_exit_fn leave, int times)
{
	struct cuaudit_hook one = {
		.size = sizeof(one), .name = "bench", .functions = name,
		.enter = enter, .exit = leave,
	};

	while (times--)
		if (add(&one))
			exit(1);
}

struct crowd {
	pthread_barrier_t start;
	call_fn call;
	_Atomic int next;
	double ns[THREADS];
};

static void *in_crowd(void *data)
{
	struct crowd *crowd = data;
	double best = 1e9;
	int self = crowd->next++;

	pthread_barrier_wait(&crowd->start);
	for (int i = 0; i < ROUNDS; i++) {
		double ns = time_calls(crowd->call);

		best = ns < best ? ns : best;
	}
	crowd->ns[self] = best;
	return NULL;
}

/* The best round of each of many threads at once: their median. */
static double crowded(call_fn call, int threads)
{
	struct crowd crowd = { .call = call };
	pthread_t ids[THREADS];

	pthread_barrier_init(&crowd.start, NULL, (unsigned int)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, in_crowd, &crowd);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return median(crowd.ns, threads);
}

/*
 * One thread, then many: a line they share would show. plain_ratio is what
 * the machine itself makes of it.
 */
static void compare_threads(const char *measure, const char *name, int threads)
{
	call_fn plain = (call_fn)bench_raw(name);
	call_fn routed = (call_fn)dlsym(RTLD_DEFAULT, name);
	double plain_alone = crowded(plain, 1), plain_many = crowded(plain, threads);
	double alone = crowded(routed, 1), many = crowded(routed, threads);

	printf("{\"measure\":\"%s\",\"threads\":%d,\"alone_ns\":%.2f,\"many_ns\":%.2f,"
	       "\"ratio\":%.3f,\"ratio_at_most\":1.15,\"plain_ratio\":%.3f}\n",
	       measure, threads, alone, many, many / alone, plain_many / plain_alone);
}

static uint32_t (*call_backtrace)(const struct cuaudit_call *call, const void **frames,
				  uint32_t max, enum cuaudit_backtrace how);

static const void *backtrace_frames[64];
static uint32_t backtrace_length;

static int enter_backtrace(struct cuaudit_call *call, void *data)
{
	backtrace_length = call_backtrace(call, backtrace_frames, 64,
					  (enum cuaudit_backtrace)(uintptr_t)data);
	return CUAUDIT_CONTINUE;
}

/* As deep as a program of some size calls from. */
static __attribute__((noinline)) void compare_deep(int depth, const char *name, const char *how)
{
	char measure[64];

	if (depth) {
		compare_deep(depth - 1, name, how);
	} else {
		((call_fn)dlsym(RTLD_DEFAULT, name))(NULL);
		snprintf(measure, sizeof(measure), "backtrace of %u frames by %s", backtrace_length, how);
		compare_calls(measure, name, 0, NULL, 0);
	}
	/* No loop is made of it. */
	__asm__ volatile("" : : : "memory");
}

static double time_attach(add_fn attach, int (*detach)(int handle), const char *functions)
{
	struct cuaudit_hook one = {
		.size = sizeof(one), .functions = functions, .enter = bench_enter,
	};
	double start = now(), best = 1e9, ns;

	for (int i = 0; i < ROUNDS; i++) {
		start = now();
		for (int j = 0; j < 100; j++)
			if (detach(attach(&one)))
				exit(1);
		ns = (now() - start) / 100;
		best = ns < best ? ns : best;
	}
	return best;
}

/* Hooks that are asked at each call, attaching them, and what a backtrace costs. */
static void measure_attached(void *core)
{
	add_fn attach = (add_fn)dlsym(core, "cuaudit_hook_attach");
	int (*detach)(int) = (int (*)(int))dlsym(core, "cuaudit_hook_detach");
	int (*prepare)(void) = (int (*)(void))dlsym(core, "cuaudit_backtrace_prepare");
	struct cuaudit_hook one = {
		.size = sizeof(one), .functions = "cuEventQuery", .enter = bench_enter,
		.exit = bench_exit,
	};
	int handle = attach(&one);

	call_backtrace = dlsym(core, "cuaudit_call_backtrace");
	compare_calls("one empty enter and exit hook, detachable", "cuEventQuery", 0, bare_hooks, 0);
	detach(handle);
	one.exit = NULL;
	handle = attach(&one);
	compare_calls("one empty enter hook, detachable", "cuEventQuery", 0, bare_counter, 0);
	detach(handle);
	one.exclude = "libnothing*";
	handle = attach(&one);
	compare_calls("one empty enter hook, detachable, not of all libraries", "cuEventQuery", 0,
		      bare_counter, 0);
	detach(handle);
	one.functions = "cuStreamQuery";
	add(&one);
	compare_calls("one empty enter hook, not of all libraries", "cuStreamQuery", 0, bare_counter, 0);
	one.functions = "cuCtxGetApiVersion";
	one.exit = bench_exit;
	add(&one);
	compare_calls("one empty enter and exit hook, not of all libraries", "cuCtxGetApiVersion", 0,
		      bare_hooks, 0);
	one.functions = "cuEventQuery";
	one.exit = NULL;
	compare_calls("a function whose hooks were detached", "cuEventQuery", 0, NULL, 0);
	one.exclude = NULL;
	one.enter = enter_backtrace;
	for (int how = 0; how < 2 && !prepare(); how++) {
		one.data = (void *)(uintptr_t)how;
		handle = attach(&one);
		compare_deep(16, "cuEventQuery", how == CUAUDIT_BACKTRACE_UNWIND ? "the unwinder"
										 : "frame pointers");
		detach(handle);
	}
	printf("{\"measure\":\"attach and detach, one function\",\"ns\":%.0f}\n",
	       time_attach(attach, detach, "cuEventQuery"));
	printf("{\"measure\":\"attach and detach, all %d functions\",\"ns\":%.0f}\n",
	       (int)((uint32_t (*)(void))dlsym(core, "cuaudit_functions"))(),
	       time_attach(attach, detach, NULL));
}

/* The kernel that is launched has a name, as those of programs do. */
static void name_kernel(void)
{
	int (*get)(void **, void *, const char *) =
		(int (*)(void **, void *, const char *))dlsym(RTLD_DEFAULT, "cuModuleGetFunction");
	void *function;

	get(&function, NULL, "step");
}

/* Rules that several of look at a launch. */
static void measure_launch(const char *measure)
{
	char name[128];

	name_kernel();
	compare_launches(measure, 40, time_launches);
	snprintf(name, sizeof(name), "%s, with a cold cache", measure);
	compare_launches(name, 0, time_cold);
}

/* Twenty rules: t/8000-bench.sh has them. */
static void measure_rules(const char *more)
{
	static const struct {
		const char *what, *function;
		double limit;
	} measures[] = {
		{ "rules, a function that none names", "cuCtxGetFlags", 10 },
		{ "rules, a call before a mark", "cuEventQuery", 40 },
		{ "rules, a call by a library", "cuCtxGetCurrent", 40 },
		{ "rules, a call counted", "cuCtxGetApiVersion", 40 },
		{ "rules, a call of one thread", "cuStreamQuery", 40 },
		{ "rules, a call on another device", "cuCtxSetCurrent", 40 },
		{ "rules, a call from elsewhere", "cuCtxPopCurrent_v2", 0 },
	};
	char name[128];

	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", measures[i].what, more);
		compare_calls(name, measures[i].function, measures[i].limit, NULL, 0);
	}
	snprintf(name, sizeof(name), "rules, a launch counted by its kernel%s", more);
	measure_launch(name);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "hooks";
	call_fn first = (call_fn)dlsym(RTLD_DEFAULT, "cuInit");
	int threads = argc > 2 ? atoi(argv[2]) : 2;
	void *core;

	first(NULL);
	core = dlopen("cuaudit-core.so", RTLD_LAZY | RTLD_NOLOAD);
	add = core ? (add_fn)dlsym(core, "cuaudit_hook_add") : NULL;
	if (!add) {
		fprintf(stderr, "not audited\n");
		return 1;
	}
	if (!strcmp(what, "stat")) {
		compare_clocks("timed statistics", "cuCtxGetCurrent", 1.25);
		compare_threads("timed statistics, many threads", "cuCtxGetCurrent", threads);
		return 0;
	}
	if (!strcmp(what, "trace") && argc > 3) {
		char name[128];

		snprintf(name, sizeof(name), "%s: one argument", argv[3]);
		compare_clocks(name, "cuCtxGetCurrent", 1.5);
		snprintf(name, sizeof(name), "%s: a launch", argv[3]);
		compare_launch_clocks(name, 1.5);
		return 0;
	}
	if (!strcmp(what, "trace-threads") && argc > 3) {
		compare_threads(argv[3], "cuCtxGetCurrent", threads);
		return 0;
	}
	if (!strcmp(what, "pairs")) {
		compare_pairs(argc > 3 ? argv[3] : "");
		return 0;
	}
	if (!strcmp(what, "count")) {
		compare_calls("statistics without a clock", "cuCtxGetCurrent", 0, bare_counter, 0);
		return 0;
	}
	if (!strcmp(what, "fault") && argc > 2) {
		compare_calls(argv[2], "cuCtxGetCurrent", 0, bare_counter, 0);
		return 0;
	}
	if (!strcmp(what, "attached")) {
		measure_attached(core);
		return 0;
	}
	if (!strcmp(what, "rules")) {
		measure_rules(argc > 3 ? argv[3] : "");
		return 0;
	}
	if (!strcmp(what, "launch") && argc > 3) {
		compare_launches(argv[3], 25, time_launches);
		return 0;
	}
	if (!strcmp(what, "kernels") && argc > 3) {
		measure_launch(argv[3]);
		return 0;
	}
	if (!strcmp(what, "leak")) {
		compare_calls("leak, a call without a handle", "cuCtxGetFlags", 0, NULL, 0);
		compare_calls("leak, one handle used", "cuEventQuery", 0, NULL, 0);
		compare_launches("leak, a function and a stream used", 0, time_launches);
		compare_lives("leak, an event made and destroyed");
		return 0;
	}
	compare_calls("stub, no hook", "cuCtxGetCurrent", 1.0, NULL, 0);
	hook("cuEventQuery", bench_enter, bench_exit, 1);
	compare_calls("one empty enter and exit hook", "cuEventQuery", 6.0, bare_hooks, 1.7);
	hook("cuCtxGetApiVersion", bench_enter, bench_exit, 2);
	compare_calls("two empty enter and exit hooks", "cuCtxGetApiVersion", 0, bare_hooks, 0);
	hook("cuCtxSetCurrent", bench_enter, bench_exit, 3);
	compare_calls("three empty enter and exit hooks", "cuCtxSetCurrent", 0, bare_hooks, 0);
	hook("cuDeviceGetCount", NULL, bench_exit, 1);
	compare_calls("one empty exit hook", "cuDeviceGetCount", 0, bare_hooks, 0);
	hook("cuCtxPopCurrent_v2", NULL, bench_exit, 2);
	compare_calls("two empty exit hooks", "cuCtxPopCurrent_v2", 0, bare_hooks, 0);
	hook("cuCtxGetFlags", bench_enter, bench_exit, 8);
	compare_calls("eight empty enter and exit hooks", "cuCtxGetFlags", 0, bare_hooks, 0);
	hook("cuNewUnknown", bench_enter, bench_exit, 1);
	compare_calls("unknown function, empty enter and exit hook", "cuNewUnknown", 10.0, bare_hooks, 3.0);
	hook("cuLaunchKernel", bench_enter, bench_exit, 1);
	compare_launches("eleven arguments, empty enter and exit hook", 0, time_launches);
	hook("cuStreamQuery", enter_count, NULL, 1);
	compare_calls("call counted, no clock", "cuStreamQuery", 4.0, bare_counter, 2.0);
	compare_threads("one empty hook, many threads", "cuEventQuery", threads);
	return 0;
}
