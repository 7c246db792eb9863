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
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

enum { JUMPS = 2000, AFTER = 1000, MOVES = 500, CALLS_IN_HANDLERS = 100, STACK = 256 * 1024, SIGNAL_STACK = 64 * 1024 };

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)	/* Linux 4.7 */
#endif

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

/* What a thread has left is not its child's. */
static void fork_from_here(void)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(unwound() != 0);
	waitpid(child, &status, 0);
	is_int(status, 0, "a child of fork has left no hooks");
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
	diag("%d jumps, %llu hooks unwound, %llu calls bypassed the hooks", (int)jumps,
	     (unsigned long long)unwound(), (unsigned long long)observe_unhooked_calls());
	fork_from_here();
	if (!observe_routed() || !observed)
		return;
	ok(unwound() > 0, "hooks were left");
	ok(observe_unhooked_calls() * 100 < (uint64_t)(arrived() - before),
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

/* Through each of the trampolines, by turns. */
static const char *const moved[] = {
	"cuCtxSetCurrent", "cuLaunchHostFunc", "cuLaunchCooperativeKernel", "cuNewPairAfter",
};

enum { MOVED = sizeof(moved) / sizeof(moved[0]) };

static int turn;
static void (*in_call)(void *) = yield;
static ucontext_t *behind = &second;	/* where the coroutine ends */

static int call_and_move(void)
{
	struct fake_callback callback = { in_call, NULL };
	struct fake_pair pair;

	switch (turn++ % MOVED) {
	case 0:
		return cuCtxSetCurrent(&callback);
	case 1:
		return cuLaunchHostFunc(NULL, in_call, NULL);
	case 2:
		return cuLaunchCooperativeKernel(in_call, 2, 3, 4, 5, 6, 7, 8, (void *)9, NULL);
	default:
		pair = cuNewPairAfter(in_call, NULL);
		return pair.first != (1l << 40 | 3) || pair.second != (2l << 40 | 5);
	}
}

static void body(void)
{
	failures += call_and_move() != 0;
	setcontext(behind);
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

static void call_inside(void *data)
{
	(void)data;
	cuInit(0);
}

static char low_stack[STACK], *coroutine_stack = low_stack;

static void begin_on(ucontext_t *context, char *stack, size_t size, void (*function)(void), ucontext_t *from)
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = NULL;
	makecontext(context, function, 0);
	swapcontext(from, context);
}

static void run_coroutine(void)
{
	begin_on(&coroutine, coroutine_stack, STACK, body, &first);
}

/* The same calls at the same places, which stay on their thread. */
static void *stay(void *data)
{
	in_call = call_inside;
	behind = &first;
	for (turn = 0; turn < MOVED;) {
		run_coroutine();
		is_int(depth_of_init, 1, "%s, %s: the depth of a call inside", moved[turn - 1],
		       (const char *)data);
		cuInit(0);
		is_int(depth_of_init, 0, "and behind it");
	}
	in_call = yield;
	behind = &second;
	return NULL;
}

/* Leaves a call to another thread, and ends without another call. */
static void *leave_to_other(void *data)
{
	run_coroutine();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return data;
}

/* The next thread has the structure of one that has not noticed where its calls ended. */
static void move_and_end(void)
{
	pthread_t thread;

	for (int way = 0; way < MOVED; way++) {
		turn = way;
		pthread_create(&thread, NULL, leave_to_other, NULL);
		pthread_barrier_wait(&barrier);
		swapcontext(&second, &coroutine);
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
		pthread_create(&thread, NULL, stay, (void *)(uintptr_t)"on the next thread");
		pthread_join(thread, NULL);
	}
}

static void wait_in_call(void *data)
{
	(void)data;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static void do_nothing(void *data)
{
	(void)data;
}

/*
 * Leaves a call to another thread, where it ends while one of this thread is inside of it. It
 * is not the first of its place, so that a fast path takes it where there is one.
 */
static void *leave_and_nest(void *data)
{
	int way = turn;

	in_call = do_nothing;
	behind = &first;
	for (int i = 0; i < 2; i++, turn = way)
		run_coroutine();
	in_call = yield;
	behind = &second;
	run_coroutine();
	cuLaunchHostFunc(NULL, wait_in_call, NULL);
	cuInit(0);
	is_int(depth_of_init, 0, "%s: ended elsewhere within another call", (const char *)data);
	return data;
}

/* The coroutine's stack is above the thread's, as that of a call which is still in the driver. */
static void move_within_call(void)
{
	char *stacks = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	mprotect(stacks + STACK, STACK, PROT_NONE);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks, STACK);
	coroutine_stack = stacks + 2 * STACK;
	for (int way = 0; way < MOVED; way++) {
		turn = way;
		pthread_create(&thread, &attributes, leave_and_nest, (void *)(uintptr_t)moved[way]);
		pthread_barrier_wait(&barrier);
		swapcontext(&second, &coroutine);
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
	}
	coroutine_stack = low_stack;
	munmap(stacks, 3 * STACK);
}

/* What hooks have of the thread that they run on: by cuStreamQuery, the second one's. */
static void *const *second_blocks;
static int foreign_blocks;

static int note_blocks(struct cuaudit_call *call, void *data)
{
	(void)data;
	second_blocks = call->blocks;
	return CUAUDIT_CONTINUE;
}

/* On the second thread, while the first one calls. */
static void take_long(struct cuaudit_call *call, void *data)
{
	(void)data;
	foreign_blocks += second_blocks && call->blocks != second_blocks;
	for (volatile int i = 0; i < 20000; i++)
		;
}

static void compare_moved(long long calls)
{
	for (int i = 0; i < MOVED; i++) {
		is_int(observe_enters(moved[i]), MOVES / MOVED, "%s in a coroutine was entered",
		       moved[i]);
		is_int(observe_exits(moved[i]), MOVES / MOVED, "and left, on the other thread");
	}
	is_int(observe_exits("cuStreamQuery"), MOVES, "that thread's own calls are seen");
	is_int(observe_exits("cuMemAlloc_v2"), calls, "the first one's too");
	is_int(foreign_blocks, 0, "exit hooks have the blocks of the thread that they run on");
}

/* Nobody is inside of a hook whose calls have ended, on whatever thread. */
static void release(int handle)
{
	int (*detach)(int) = (int (*)(int))observe_core("cuaudit_hook_detach");
	int (*synchronize)(int, int) = (int (*)(int, int))observe_core("cuaudit_hook_synchronize");

	is_int(detach(handle), 0, "a hook of calls that moved is detached");
	is_int(synchronize(handle, 10000), 0, "and released");
}

static void move(void)
{
	const struct cuaudit_hook slow = {
		.size = sizeof(slow), .name = "slow", .exit = take_long,
		.functions = "cuCtxSetCurrent,cuLaunchHostFunc,cuLaunchCooperativeKernel,cuNewPairAfter",
	}, looks = {
		.size = sizeof(looks), .name = "blocks", .functions = "cuStreamQuery",
		.enter = note_blocks,
	}, hook = {
		.size = sizeof(hook), .name = "depth", .functions = "cuInit", .enter = note_depth,
	};
	int (*add)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	int (*attach)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_attach");
	unsigned long long pointer;
	long long calls = 0;
	pthread_t thread;
	int handle = 0;

	if (observed && observe_routed()) {
		handle = attach(&slow);
		ok(handle > 0, "a hook that takes long");
		is_int(add(&looks), 0, "one that looks at the thread");
	}
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, take_over, NULL);
	for (int i = 0; i < MOVES; i++) {
		run_coroutine();
		pthread_barrier_wait(&barrier);
		for (; ended == i; calls++)
			failures += cuMemAlloc_v2(&pointer, 3) != 0;
		pthread_barrier_wait(&barrier);
	}
	pthread_join(thread, NULL);
	is_int(failures, 0, "all calls succeeded");
	diag("%lld calls, and %d on the second thread", calls, 2 * MOVES);
	if (!observe_routed())
		return;
	is_int((long long)observe_unhooked_calls(), 0, "no call went past the hooks");
	is_int((long long)unwound(), 0, "no hook is thought left");
	if (observed) {
		compare_moved(calls);
		release(handle);
	}
	is_int(add(&hook), 0, "a hook that looks at depths");
	cuInit(0);
	is_int(depth_of_init, 0, "the first thread is in no call");
	stay((void *)(uintptr_t)"on the first thread");
	move_within_call();
	move_and_end();
}
/*
 * A thread whose signal stack is in the main thread's, so above all of its own,
 * is interrupted inside of a driver call by a handler that calls the driver.
 */
static sigjmp_buf before_call;
static int wrong_depth;
static volatile sig_atomic_t leaving;

static void leave_handler(void *data)
{
	(void)data;
	siglongjmp(before_call, 1);
}

static void call_in_handler(int number)
{
	struct fake_callback callback = { leave_handler, NULL };

	(void)number;
	cuInit(0);
	wrong_depth += depth_of_init != 1;
	if (leaving)
		cuCtxSetCurrent(&callback);
}

static void interrupt(void *data)
{
	(void)data;
	raise(SIGUSR1);
}

static uint64_t interrupted_calls(void *signal_stack, int flags, bool left)
{
	struct sigaction action = { .sa_handler = call_in_handler, .sa_flags = SA_ONSTACK };
	struct fake_callback callback = { interrupt, NULL };
	stack_t stack = { .ss_sp = signal_stack, .ss_size = SIGNAL_STACK, .ss_flags = flags };
	uint64_t before = observe_unwound_calls();

	wrong_depth = 0;
	leaving = left;
	sigaction(SIGUSR1, &action, NULL);
	is_int(sigaltstack(&stack, NULL), 0, "a signal stack above the thread's");
	for (volatile int i = 0; i < CALLS_IN_HANDLERS; i++) {
		if (!sigsetjmp(before_call, 1))
			cuCtxSetCurrent(&callback);
		cuInit(0);
		wrong_depth += depth_of_init != 0;
	}
	if (observe_routed())
		is_int(wrong_depth, 0, "depths inside of handlers, and behind them");
	return observe_unwound_calls() - before;
}

static int raise_in_hook(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	raise(SIGUSR1);
	return CUAUDIT_CONTINUE;
}

/* Such a stack where a hook runs: the handler's call goes straight to the driver. */
static void interrupt_hook(void *signal_stack)
{
	struct sigaction action = { .sa_handler = call_in_handler, .sa_flags = SA_ONSTACK };
	stack_t stack = {
		.ss_sp = signal_stack, .ss_size = SIGNAL_STACK, .ss_flags = (int)SS_AUTODISARM,
	};

	leaving = false;
	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&stack, NULL);
	depth_of_init = -1;
	cuMemAlloc_v2(&(unsigned long long){ 0 }, 3);
	is_int(depth_of_init, -1, "a handler that interrupts a hook is not hooked");
	is_int((long long)unwound(), 0, "no hook was left");
}

static void *interrupted_thread(void *signal_stack)
{
	interrupt_hook(signal_stack);
	is_int((long long)interrupted_calls(signal_stack, 0, false), 0, "no call was left");
	is_int((long long)interrupted_calls(signal_stack, SS_AUTODISARM, false), 0,
	       "nor of a stack that handlers cannot ask for");
	is_int((long long)interrupted_calls(signal_stack, 0, true),
	       observe_routed() ? 2 * CALLS_IN_HANDLERS : 0,
	       "calls that handlers left, and those that these interrupted");
	is_int((long long)interrupted_calls(signal_stack, 0, false), 0, "none is left over");
	return NULL;
}

static void signal_stack_above(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "depth", .functions = "cuInit", .enter = note_depth,
	}, raiser = {
		.size = sizeof(raiser), .name = "raise", .functions = "cuMemAlloc_v2",
		.enter = raise_in_hook,
	};
	int (*add)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	char signal_stack[SIGNAL_STACK] __attribute__((aligned(16)));
	pthread_t thread;

	if (observe_routed()) {
		is_int(add(&hook), 0, "a hook that looks at depths");
		is_int(add(&raiser), 0, "one that is interrupted");
	}
	pthread_create(&thread, NULL, interrupted_thread, signal_stack);
	pthread_join(thread, NULL);
}

/*
 * A signal stack where a coroutine's calls were, which calls of the thread's own stack were taken to
 * be inside of: a handler leaves a call at the very place of theirs.
 */
static ucontext_t beside, within;
static uintptr_t outer_at, inner_at;
static size_t lower;

static int note_outer(struct cuaudit_call *call, void *data)
{
	(void)data;
	outer_at = (uintptr_t)call;
	return CUAUDIT_CONTINUE;
}

static int note_inner(struct cuaudit_call *call, void *data)
{
	inner_at = (uintptr_t)call;
	return note_depth(call, data);
}

static __attribute__((noinline)) void call_outer(void (*function)(void *), size_t down)
{
	struct fake_callback callback = { function, NULL };
	volatile char hole[16 + down];

	hole[0] = 1;
	cuCtxSetCurrent(&callback);
	hole[0]++;
}

static __attribute__((noinline)) int call_inner(void)
{
	cuInit(0);
	return depth_of_init;
}

static void suspend(void *data)
{
	(void)data;
	swapcontext(&within, &beside);
}

static void stay_or_leave(void *data)
{
	if (leaving)
		siglongjmp(before_call, 1);
	call_inside(data);
}

static void outer_in_handler(int number)
{
	(void)number;
	call_outer(stay_or_leave, 0);
}

static void outer_in_coroutine(void)
{
	for (int i = 0; i < CALLS_IN_HANDLERS; i++) {
		call_outer(call_inside, lower);
		wrong_depth += depth_of_init != 1;
	}
	call_outer(suspend, lower);
	setcontext(&beside);
}

/* Leaves it inside of its last call. */
static void begin_within(char *stack)
{
	begin_on(&within, stack, SIGNAL_STACK, outer_in_coroutine, &beside);
}

static void set_signal_stack(char *stack)
{
	stack_t is = { .ss_sp = stack, .ss_size = SIGNAL_STACK, .ss_flags = stack ? 0 : SS_DISABLE };

	is_int(sigaltstack(&is, NULL), 0, stack ? "a signal stack" : "none");
}

/* The stack, NULL: on the thread's own; whether an ended thread's calls were there. */
struct place {
	char *stack;
	bool again;
};

static void *leave_within(void *data)
{
	const struct place *place = data;
	static uintptr_t outer_before, inner_before;
	struct sigaction action = { .sa_handler = outer_in_handler, .sa_flags = SA_ONSTACK };
	char own[SIGNAL_STACK] __attribute__((aligned(16))), *stack = place->stack ? place->stack : own;
	volatile int late = 0, nested = 0;
	uint64_t before;

	sigaction(SIGUSR1, &action, NULL);
	wrong_depth = 0;
	if (!place->again) {
		set_signal_stack(stack);
		leaving = lower = 0;
		raise(SIGUSR1);
		outer_before = outer_at;
		set_signal_stack(NULL);
		begin_within(stack);
		lower = outer_at - outer_before;
		swapcontext(&beside, &within);
		begin_within(stack);
		for (int i = 0; i < CALLS_IN_HANDLERS; i++)
			nested += call_inner() == 1;
		inner_before = inner_at;
		swapcontext(&beside, &within);
	}
	for (int i = 0; i < CALLS_IN_HANDLERS; i++)
		wrong_depth += call_inner() != 0;
	set_signal_stack(stack);
	before = observe_unwound_calls();
	leaving = true;
	if (!sigsetjmp(before_call, 1))
		raise(SIGUSR1);
	for (int i = 0; i < 10 * CALLS_IN_HANDLERS; i++)
		late += call_inner() != 0;
	set_signal_stack(NULL);
	if (!observe_routed())
		return NULL;
	ok(outer_at == outer_before && inner_at == inner_before, "calls where others had been");
	is_int(wrong_depth, 0, "depths until then");
	is_int(nested, place->again ? 0 : CALLS_IN_HANDLERS, "calls inside of those");
	ok(late < (place->stack || place->again ? 1 : 64), "one that a handler left is noticed after %d more", late);
	is_int((long long)(observe_unwound_calls() - before), 1, "and counted");
	return NULL;
}

static void signal_stack_within(void)
{
	static const struct cuaudit_hook outer = {
		.size = sizeof(outer), .name = "outer", .functions = "cuCtxSetCurrent", .enter = note_outer,
	}, inner = {
		.size = sizeof(inner), .name = "inner", .functions = "cuInit", .enter = note_inner,
	};
	int (*add)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	/* A thread's stack, and the signal stack just above it. */
	char *mapped = mmap(NULL, STACK + SIGNAL_STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct place places[] = { { mapped + STACK, false }, { NULL, false }, { NULL, true } };
	pthread_attr_t attributes;
	pthread_t thread;

	if (observe_routed()) {
		is_int(add(&outer), 0, "a hook that looks where calls are");
		is_int(add(&inner), 0, "one that looks at those inside");
	}
	for (int i = 0; i < 3; i++) {
		pthread_attr_init(&attributes);
		if (places[i].stack)
			pthread_attr_setstack(&attributes, mapped, STACK);
		pthread_create(&thread, &attributes, leave_within, &places[i]);
		pthread_join(thread, NULL);
		pthread_attr_destroy(&attributes);
	}
	munmap(mapped, STACK + SIGNAL_STACK);
}

/* More calls within each other than a thread tells apart, all left at once. */
enum { DEEP = 100 };

static int level;

static void nest(void *data)
{
	struct fake_callback callback = { nest, data };

	if (++level == DEEP)
		siglongjmp(before_call, 1);
	cuCtxSetCurrent(&callback);
}

static void leave_deep(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "depth", .functions = "cuInit", .enter = note_depth,
	};
	int (*add)(const struct cuaudit_hook *) =
		(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");
	uint64_t before = observe_unwound_calls();

	if (observe_routed())
		is_int(add(&hook), 0, "a hook that looks at depths");
	if (!sigsetjmp(before_call, 1))
		nest(NULL);
	is_int(level, DEEP, "calls within calls");
	cuInit(0);
	if (!observe_routed())
		return;
	is_int(depth_of_init, 0, "the next call is in none of them");
	is_int((long long)(observe_unwound_calls() - before), DEEP - 1, "each is counted as left");
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	observed = argc == 2;
	if (!observed && !strcmp(way, "move"))
		observe_only = "cuInit";
	if (observed || observe_only)
		observe_start(RTLD_DEFAULT);
	if (!strcmp(way, "jump"))
		jump(0);
	else if (!strcmp(way, "jump-off-signal-stack"))
		jump_off_signal_stack();
	else if (!strcmp(way, "move"))
		move();
	else if (!strcmp(way, "signal-stack-above"))
		signal_stack_above();
	else if (!strcmp(way, "signal-stack-within"))
		signal_stack_within();
	else if (!strcmp(way, "deep"))
		leave_deep();
	return done_testing();
}
