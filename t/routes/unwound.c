/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks that are left while they run, and calls that end on another thread than
 * they began on. The argument says which; another one, that no hooks but those
 * of CUAUDIT_HOOKS are there.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

enum { JUMPS = 2000, AFTER = 1000, MOVES = 500, STACK = 256 * 1024, SIGNAL_STACK = 64 * 1024 };

/* Microseconds between signals; emulated, a handler takes longer than thirty. */
#ifdef __aarch64__
enum { INTERVAL = 400 };
#else
enum { INTERVAL = 30 };
#endif

static sigjmp_buf out;
static volatile sig_atomic_t jumps, armed;
static bool observed;

static void leave(int number)
{
	(void)number;
	if (!armed)
		return;
	armed = 0;
	jumps++;
	siglongjmp(out, 1);
}

/* Frames of many sizes, parts of which nobody writes to: what was there before stays. */
static __attribute__((noinline)) void call_below(int depth)
{
	volatile char hole[40 + depth * 208];

	hole[0] = (char)depth;
	if (depth)
		call_below(depth - 1);
	else
		for (int i = 0; i < 200; i++)
			cuStreamQuery(NULL);
	hole[0]++;
}

static __attribute__((noinline)) void call_here(void)
{
	unsigned long long pointer;

	for (int i = 0; i < 200; i++) {
		cuMemAlloc_v2(&pointer, 3);
		cuInit(0);
	}
}

static const char *const called[] = { "cuStreamQuery", "cuMemAlloc_v2", "cuInit" };

enum { CALLED = sizeof(called) / sizeof(called[0]) };

static long long arrived(void)
{
	long long sum = 0;

	for (int i = 0; i < CALLED; i++)
		sum += cuaudit_fake_calls(called[i]);
	return sum;
}

static long long entered(void)
{
	long long sum = 0;

	for (int i = 0; i < CALLED; i++)
		sum += observe_enters(called[i]);
	return sum;
}

static uint64_t unwound(void)
{
	uint64_t (*hooks)(void) = (uint64_t (*)(void))observe_core("cuaudit_unwound_hooks");

	return hooks ? hooks() : 0;
}

static void signals(int microseconds)
{
	const struct itimerval interval = { { 0, microseconds }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &interval, NULL);
}

static void jump(int flags)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = flags };
	long long before, seen;
	volatile int depth = 0;

	sigaction(SIGALRM, &action, NULL);
	before = arrived();
	signals(INTERVAL);
	sigsetjmp(out, 1);
	while (jumps < JUMPS) {
		armed = 1;
		if (depth++ % 3)
			call_below(depth % 17);
		else
			call_here();
	}
	armed = 0;
	signals(0);
	is_int(jumps, JUMPS, "jumps");
	diag("%lld calls", arrived() - before);
	diag("%d jumps, %llu hooks unwound, %llu calls went straight", (int)jumps,
	     (unsigned long long)unwound(), (unsigned long long)observe_straight());
	if (!observe_routed() || !observed)
		return;
	ok(unwound() > 0, "hooks were left");
	ok(observe_straight() * 100 < (uint64_t)(arrived() - before),
	   "few calls passed the hooks that were left");
	seen = entered();
	before = arrived();
	for (int i = 0; i < AFTER; i++)
		call_below(i % 17);
	is_int(entered() - seen, arrived() - before, "none does any more");
}

static void jump_off_signal_stack(void)
{
	stack_t stack = { .ss_size = SIGNAL_STACK };

	stack.ss_sp = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	jump(SA_ONSTACK);
}

/* A coroutine that is left in a callback of the driver by one thread, and ended by another. */
static ucontext_t coroutine, first, second;
static pthread_barrier_t barrier;
static atomic_int failures, ended;
static int depth_of_init;

static void yield(void *data)
{
	(void)data;
	swapcontext(&coroutine, &first);
}

static void body(void)
{
	struct fake_callback callback = { yield, NULL };

	failures += cuCtxSetCurrent(&callback) != 0;
	setcontext(&second);
}

static void *take_over(void *data)
{
	for (int i = 0; i < MOVES; i++) {
		pthread_barrier_wait(&barrier);
		swapcontext(&second, &coroutine);
		failures += cuStreamQuery(NULL) != 0;
		ended = i + 1;
		pthread_barrier_wait(&barrier);
	}
	return data;
}

static int note_depth(struct cuaudit_call *call, void *data)
{
	(void)data;
	depth_of_init = (int)call->depth;
	return CUAUDIT_CONTINUE;
}

/* On the second thread, while the first one calls. */
static void take_long(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	for (volatile int i = 0; i < 20000; i++)
		;
}

static void move(void)
{
	const struct cuaudit_hook slow = {
		.size = sizeof(slow), .name = "slow", .functions = "cuCtxSetCurrent",
		.exit = take_long,
	}, hook = {
		.size = sizeof(hook), .name = "depth", .functions = "cuInit", .enter = note_depth,
	};
	int (*add)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	static char stack[STACK];
	unsigned long long pointer;
	long long calls = 0;
	pthread_t thread;

	if (observed && observe_routed())
		is_int(add(&slow), 0, "a hook that takes long");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, take_over, NULL);
	for (int i = 0; i < MOVES; i++) {
		getcontext(&coroutine);
		coroutine.uc_stack.ss_sp = stack;
		coroutine.uc_stack.ss_size = sizeof(stack);
		coroutine.uc_link = NULL;
		makecontext(&coroutine, body, 0);
		swapcontext(&first, &coroutine);
		pthread_barrier_wait(&barrier);
		for (; ended == i; calls++)
			failures += cuMemAlloc_v2(&pointer, 3) != 0;
		pthread_barrier_wait(&barrier);
	}
	pthread_join(thread, NULL);
	is_int(failures, 0, "all calls succeeded");
	diag("%lld calls", calls + 2 * MOVES);
	if (!observe_routed() || !observed)
		return;
	is_int(observe_enters("cuCtxSetCurrent"), MOVES, "calls of the coroutine were entered");
	is_int(observe_exits("cuCtxSetCurrent"), MOVES, "and left, on the other thread");
	is_int(observe_exits("cuStreamQuery"), MOVES, "that thread's own calls are seen");
	is_int(observe_exits("cuMemAlloc_v2"), calls, "the first one's too");
	is_int((long long)observe_straight(), 0, "no call went past the hooks");
	is_int(add(&hook), 0, "a hook that looks at depths");
	cuInit(0);
	is_int(depth_of_init, 0, "the first thread is in no call");
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	observed = argc == 2;
	if (observed)
		observe_start(RTLD_DEFAULT);
	if (!strcmp(way, "jump"))
		jump(0);
	else if (!strcmp(way, "jump-off-signal-stack"))
		jump_off_signal_stack();
	else if (!strcmp(way, "move"))
		move();
	return done_testing();
}
