/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and hooks that a longjmp, an exception or another thread took off the stack. */
#include "hooks/unwound.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "arch.h"
#include "hooks/frame.h"
#include "hooks/lock.h"
#include "hooks/stack.h"
#include "hooks/thread.h"
#include "hooks/unseen.h"

enum { OWN_FRAMES = 16 };	/* at most, between a call and the unwinder */

/* What is behind a frame, be it a trampoline's or of fast_path_arch.h. */
struct frame_record {
	const void *frame_pointer, *caller;
};

static struct {
	_Unwind_Reason_Code (*each)(_Unwind_Trace_Fn function, void *data);
	_Unwind_Word (*cfa)(struct _Unwind_Context *context);
	_Unwind_Ptr (*ip)(struct _Unwind_Context *context);
} unwinder;

static bool takes_lock;	/* of the loader, for each frame: before glibc 2.35 */

static void thread_ended(struct thread *thread);

void unwound_setup(void)
{
	/* libc's own choice, for pthread_exit; a program of C++ has it already. */
	void *handle = dlopen("libgcc_s.so.1", RTLD_LAZY);

	thread_ends = thread_ended;
	if (!handle)
		return;
	*(void **)&unwinder.cfa = dlsym(handle, "_Unwind_GetCFA");
	*(void **)&unwinder.ip = dlsym(handle, "_Unwind_GetIP");
	if (unwinder.cfa && unwinder.ip)
		*(void **)&unwinder.each = dlsym(handle, "_Unwind_Backtrace");
	takes_lock = !dlsym(RTLD_DEFAULT, "_dl_find_object");
}

/* Another thread may have had the loader's lock, which fork(2) copied, and nobody gives it back. */
void unwound_forked(void)
{
	if (takes_lock)
		unwinder.each = NULL;
}

bool unseen_callers(void)
{
	return !unwinder.each;
}

/* What is not there any more is dropped before, by unwound_process_ends. */
bool unseen_inside(void)
{
	const struct thread *thread = thread_self;

	return thread && thread->state && !(thread->state & THREAD_INSIDE);
}

/*
 * Before glibc 2.35 and GCC 12 the unwinder keeps a list of its own, under the loader's lock: a
 * handler that leaves by siglongjmp in the middle would leave the one damaged and the other taken.
 */
static void each_frame(_Unwind_Trace_Fn function, void *data)
{
	sigset_t saved;

	lock_block_signals(&saved);
	unwinder.each(function, data);
	lock_unblock_signals(&saved);
}

/* The frames from a caller on. */
struct walk {
	const void *caller, **frames, *last;
	uintptr_t *at;		/* NULL: nobody asks */
	uint32_t skipped, count, max, whole;
	uintptr_t cfa;
};

static _Unwind_Reason_Code keep(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	const void *at = (const void *)unwinder.ip(context);
	uintptr_t cfa = unwinder.cfa(context);

	if (!walk->count && walk->caller && at != walk->caller)
		return walk->skipped++ < OWN_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
	/* Damaged unwind information can lead from a frame to itself. */
	if (!at || walk->count == walk->max || (walk->count && at == walk->last && cfa == walk->cfa))
		return _URC_END_OF_STACK;
	walk->last = at;
	walk->cfa = cfa;
	/* A call of the runtime or of a provider that the caller is inside of. */
	if (walk->count && unwound_is_own(at)) {
		walk->whole = walk->whole ?: walk->count;
		return _URC_NO_REASON;
	}
	if (walk->at)
		walk->at[walk->count] = cfa;
	walk->frames[walk->count++] = at;
	return _URC_NO_REASON;
}

uint32_t unwound_backtrace(const void *caller, const void **frames, uint32_t max)
{
	return unwound_stack(caller, frames, NULL, NULL, max);
}

uint32_t unwound_stack(const void *caller, const void **frames, uintptr_t *at, uint32_t *whole,
		       uint32_t max)
{
	struct walk walk = { .caller = caller, .frames = frames, .at = at, .max = max };
	int error = errno;

	if (unwinder.each && max)
		each_frame(keep, &walk);
	if (whole)
		*whole = walk.whole ?: walk.count;
	errno = error;
	return walk.count;
}

struct search {
	uintptr_t cfa;
	bool found, passed;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data)
{
	struct search *search = data;
	uintptr_t cfa = unwinder.cfa(context);

	search->found = cfa == search->cfa;
	/* Frames of another stack, a signal's, may lie anywhere: go on. */
	search->passed |= cfa > search->cfa;
	return search->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Signal stacks are small, and what lies below one may be anyone's: libgcc's unwinder takes some 4 KiB. */
static bool has_room(void)
{
	enum { UNWINDS = 8192 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	int error = errno;
	stack_t now;
	bool on_signal_stack = !syscall(SYS_sigaltstack, NULL, &now) && now.ss_flags & SS_ONSTACK;

	errno = error;
	return !on_signal_stack || here - (uintptr_t)now.ss_sp >= UNWINDS;
}

/* Whether the unwinder does not find the call of a frame under the present one, as far as it can be asked. */
static bool is_not_below(uint64_t state)
{
	const struct frame *frame = (const struct frame *)thread_frame(state);
	struct search search = {
		state & THREAD_FILLED ? frame->own : frame_cfa(frame), false, false
	};

	if (!unwinder.each || !has_room())
		return false;
	each_frame(look, &search);
	return search.passed && !search.found;
}

/* Puts one in place of a mark, the first one like it. */
static bool exchange(struct thread *thread, uintptr_t mark, uintptr_t by)
{
	for (uint32_t i = 0; i < THREAD_MOVED; i++) {
		uintptr_t found = mark;

		/* An exchange that fails takes as long as one that does not. */
		if (atomic_load(&thread->moved[i]) == mark &&
		    atomic_compare_exchange_strong(&thread->moved[i], &found, by))
			return true;
	}
	return false;
}

/*
 * Whether a thread, another one, still names a frame: in its state, or behind that
 * where calls are inside of it. What is no more may be found there, but what is will be.
 */
static bool is_named(const struct thread *thread, uintptr_t frame)
{
	if (thread_frame(__atomic_load_n(&thread->state, __ATOMIC_SEQ_CST)) == frame)
		return true;
	for (uint32_t i = 0; i < THREAD_FRAMES; i++)
		if (thread_frame(__atomic_load_n(&thread->outer[i], __ATOMIC_RELAXED)) == frame)
			return true;
	return false;
}

/* Keeps a call that the thread counts as left, before its state is another one. */
static void keep_left(struct thread *thread, uintptr_t frame)
{
	uint32_t place = thread->next_left++ % THREAD_LEFT;

	atomic_store(&thread->left[place], 0);
	atomic_store(&thread->left_by[place], thread->correlation);
	atomic_store(&thread->left[place], frame);
}

/*
 * Whether a call was counted as left, which is so once. Another one at that place of a stack began on the thread later,
 * and has a greater number than what was kept.
 */
static bool take_left(struct thread *thread, uintptr_t frame, uint64_t correlation)
{
	enum { NUMBER = 40 };

	for (uint32_t i = 0; i < THREAD_LEFT; i++) {
		uintptr_t found = frame;
		uint64_t by = atomic_load(&thread->left_by[i]);

		if (correlation <= by && correlation >> NUMBER == by >> NUMBER &&
		    atomic_load(&thread->left[i]) == frame &&
		    atomic_compare_exchange_strong(&thread->left[i], &found, 0))
			return true;
	}
	return false;
}

/*
 * A mark that its thread does not look for would be taken for one of a later call there. The thread
 * may be about to drop the call: it keeps that it has counted it and then looks for the mark, here
 * the mark is made and then it is looked whether it has.
 */
void unwound_move(struct thread *from, uintptr_t frame, uint64_t correlation)
{
	bool found = take_left(from, frame, correlation);
	bool marked = !found && is_named(from, frame) && exchange(from, 0, frame);

	found = found || take_left(from, frame, correlation);
	if (marked && (found || !is_named(from, frame)))
		exchange(from, frame, 0);
	if (found)
		thread_found_call();
}

/* Drops the marks of calls that the thread no longer has. */
static void drop_marks(struct thread *thread, uint64_t state, uint32_t depth)
{
	thread->depth = depth;
	__atomic_store_n(&thread->state, state, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < THREAD_MOVED; i++) {
		uintptr_t mark = atomic_load(&thread->moved[i]);

		if (mark && !is_named(thread, mark))
			atomic_compare_exchange_strong(&thread->moved[i], &mark, 0);
	}
}

/* What was found of a thread's calls may be otherwise with another signal stack. */
static void note_signal_stack(struct thread *thread, uintptr_t low, size_t size)
{
	if (thread->signal_stack == low && thread->signal_stack_size == size)
		return;
	memset(thread->live, 0, sizeof(thread->live));
	thread->signal_stack = low;
	thread->signal_stack_size = size;
}

/* Whether the thread runs on its signal stack, and whether address is in that. */
static void ask_signal_stack(struct thread *thread, uintptr_t address, bool *thread_is,
			     bool *address_is)
{
	int error = errno;
	stack_t now;
	bool known = !syscall(SYS_sigaltstack, NULL, &now);
	size_t size = known && !(now.ss_flags & SS_DISABLE) ? now.ss_size : 0;

	errno = error;
	*thread_is = known && now.ss_flags & SS_ONSTACK;
	*address_is = size && address - (uintptr_t)now.ss_sp < size;
	note_signal_stack(thread, size ? (uintptr_t)now.ss_sp : 0, size);
}

/* Whether the frame of a hook that ran is still as it was; nothing else keeps it so. */
static bool is_whole(struct thread *thread, uint64_t state)
{
	const struct frame *frame = (const struct frame *)thread_frame(state);
	const struct frame_record *record = (const struct frame_record *)(frame + 1);

	if (!stack_readable(thread, (uintptr_t)frame, (uintptr_t)(record + 1)))
		return false;
	/* Those of fast_path_arch.h have the thread there, and anything in the rest. */
	if (frame->own == (uintptr_t)thread)
		return true;
	return frame->call.blocks == thread->blocks &&
	       (state & THREAD_FILLED || arch_plain_address(record->caller) == frame->call.caller ||
		unwound_is_own(arch_plain_address(record->caller)));
}

/* Whether the stack tells that a frame was left: on the one we are on, at ours or below it. */
static bool is_above(struct thread *thread, uintptr_t at, uintptr_t frame)
{
	/* A signal stack that handlers cannot ask for (SS_AUTODISARM) is no more the thread's own. */
	return at <= frame && !stack_is_own(thread, at, frame);
}

/*
 * A call at frame and the one at at that it is inside of, in a word, which a handler finds whole.
 * 0: not below it, or too far.
 */
static uint64_t pair_of(uintptr_t at, uintptr_t frame)
{
	enum { GRAIN = 16, DISTANCE = 20, ADDRESS = 48 };
	uint64_t distance = (at - frame) / GRAIN;

	return at > frame && !(distance >> DISTANCE) && !(frame >> ADDRESS) ?
	       frame / GRAIN << DISTANCE | distance : 0;
}

static uint64_t *kept_at(struct thread *thread, uint64_t pair)
{
	return &thread->live[pair * 0x9e3779b97f4a7c15 >> 56 & (THREAD_LIVE - 1)];
}

/*
 * To ask for the signal stack takes longer than the rest of a nested call. The answer for a call
 * below another one stays, unless the program makes a signal stack of where the outer one is. That
 * is not seen. So it is kept for outer calls on the stack that the thread was started on, where
 * signal stacks hardly are, and asked for again now and then.
 */
static bool was_live(struct thread *thread, uint64_t pair)
{
	return pair && *kept_at(thread, pair) == pair && ++thread->trusted % THREAD_TRUST;
}

/*
 * Of a call in the driver that is all one can tell, but that one on the signal stack
 * was left once the thread is not on it. Where a coroutine's stack is in play, a live
 * call may be taken for left, and its own exit puts the state right again.
 */
static bool call_is_left(struct thread *thread, uintptr_t at, uintptr_t frame)
{
	uint64_t pair = pair_of(at, frame);
	bool on_signal_stack, was_on_signal_stack;

	if (was_live(thread, pair))
		return false;
	ask_signal_stack(thread, at, &on_signal_stack, &was_on_signal_stack);
	if (on_signal_stack != was_on_signal_stack)
		return was_on_signal_stack;
	if (pair && stack_is_own(thread, at, 0))
		*kept_at(thread, pair) = pair;
	return is_above(thread, at, frame);
}

/*
 * A hook that runs has left no stack, so that only a handler that interrupted it,
 * or the hook itself, may come in between: from below it, or on a signal stack. What
 * was left below may still look whole, where a frame above it has room it does
 * not write to; that the unwinder tells, if there is one.
 */
static bool hook_is_left(struct thread *thread, uint64_t state, uintptr_t frame)
{
	uintptr_t at = thread_frame(state);
	bool on_signal_stack, was_on_signal_stack;

	if (is_above(thread, at, frame)) {
		ask_signal_stack(thread, at, &on_signal_stack, &was_on_signal_stack);
		if (!on_signal_stack || was_on_signal_stack)
			return true;
	}
	return !is_whole(thread, state) || is_not_below(state);
}

static bool is_left(struct thread *thread, uint64_t state, const struct frame *frame)
{
	return state & THREAD_INSIDE ? hook_is_left(thread, state, (uintptr_t)frame) :
				       call_is_left(thread, thread_frame(state), (uintptr_t)frame);
}

/* Modules first: what they had done of the call all the same is known before it is counted. */
static void drop_hook(struct thread *thread)
{
	thread_hook_unwound(thread);
	thread_count_lost(&thread->unwound_hooks);
}

const void *unwound_caller(const struct thread *thread, const void *caller, uint64_t outer, uint32_t depth)
{
	while (unwound_is_own(caller) && thread_frame(outer)) {
		const struct frame *frame = (const struct frame *)thread_frame(outer);
		const struct frame_record *record = (const struct frame_record *)(frame + 1);

		/* Of a reported call there is the address alone, where a frame would have it. */
		caller = outer & THREAD_FILLED ? frame->call.caller : arch_plain_address(record->caller);
		outer = --depth ? thread->outer[depth % THREAD_FRAMES] : 0;
	}
	return caller;
}

/* Unless it ends elsewhere just now. */
static void count_left(struct thread *thread, uintptr_t frame)
{
	thread_count_lost(&thread->unwound_calls);
	keep_left(thread, frame);
	if (exchange(thread, frame, 0) && take_left(thread, frame, thread->correlation))
		thread_found_call();
}

/* Why calls are looked at. */
enum why {
	CALLS,		/* another one begins */
	ENDS,		/* the thread does: it has none any more */
	EXITS,		/* the process does: there is time to ask the unwinder, too */
	QUITS		/* the same, without waiting for a lock */
};

static uint64_t drop(struct thread *thread, const struct frame *frame, enum why why, uint32_t *depth)
{
	uint64_t state = thread->state;
	uint32_t at = state & THREAD_NESTED ? thread->depth : 0;
	bool judged = false;

	while (state && state != THREAD_ENDING) {
		bool moved = exchange(thread, thread_frame(state), 0);

		if (!moved && why != ENDS && !is_left(thread, state, frame) &&
		    (why == CALLS || (why == QUITS && takes_lock) || !is_not_below(state)))
			break;
		judged |= !moved;
		if (moved)
			;	/* it ended, elsewhere */
		else if (state & THREAD_INSIDE)
			drop_hook(thread);
		else
			count_left(thread, thread_frame(state));
		state = at ? thread->outer[at % THREAD_FRAMES] : 0;
		at -= at > 0;
	}
	if (judged)
		drop_marks(thread, state, at);
	*depth = state ? at + 1 : 0;
	return state;
}

uint64_t unwound_drop(struct thread *thread, const struct frame *frame, uint32_t *depth)
{
	return drop(thread, frame, CALLS, depth);
}

/* It has no call any more. */
static void thread_ended(struct thread *thread)
{
	uint32_t depth;

	drop(thread, NULL, ENDS, &depth);
}

void unwound_process_ends(bool by_exit)
{
	struct thread *thread = thread_self;
	uint32_t depth;

	if (thread)
		drop(thread, __builtin_frame_address(0), by_exit ? EXITS : QUITS, &depth);
}
