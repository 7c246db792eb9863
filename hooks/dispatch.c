/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the hooks of a call: the C half of the trampolines. */
#include "hooks/dispatch.h"

#include <cuaudit/api.h>
#include <cuaudit/clock.h>
#include <string.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/guard.h"
#include "hooks/layout.h"
#include "hooks/library.h"
#include "hooks/registry.h"
#include "hooks/stack.h"
#include "hooks/thread.h"
#include "hooks/unwound.h"

/* Words that begin at or reach past the end of the caller's page may not be there. */
static void take_window(struct frame *frame, struct thread *thread)
{
	const uint64_t *from = frame_stack(frame);
	size_t words = stack_readable_words(thread, from, FRAME_NSTACK_ARGS);

	/* In line: a sanitizer's memcpy would take the callers' frames for out of bounds. */
	if (words == FRAME_NSTACK_ARGS) {
		memcpy(frame->stack_args, from, sizeof(frame->stack_args));
		return;
	}
	memcpy(frame->stack_args, from, words * sizeof(*from));
	/* A file of types may say that the function has more of them: they are nothing of another call. */
	memset(frame->stack_args + words, 0, sizeof(frame->stack_args) - words * sizeof(*from));
}

uint32_t dispatch_wide(struct frame *frame)
{
	return stack_readable_words(frame_thread(frame), frame_stack(frame), FRAME_WIDE_WORDS);
}

static void take_stack(struct frame *frame, uint32_t words)
{
	const uint64_t *stack = frame_stack(frame);

	for (uint32_t i = 0; i < words; i++)
		frame->stack_args[i] = stack[i];
}

int dispatch(struct frame *frame, const struct entry *entry, const void *caller, uint32_t kind)
{
	/* Pairs with set_hooks. */
	const struct hook_list *list = atomic_load_explicit(&entry->list, memory_order_acquire);
	struct thread *thread = thread_self ? thread_self : thread_begin();
	uint32_t depth = 0;
	uint64_t outer;

	frame->call.function = &entry->function;
	if (unlikely(!thread || !list))
		return DISPATCH_STRAIGHT;
	outer = thread->state ? unwound_drop(thread, frame, &depth) : 0;
	/* Jumps of hooked functions to each other take no stack of the program's, and little of ours. */
	if (unlikely(outer & THREAD_INSIDE || (depth >= THREAD_FRAMES && unwound_is_own(caller)))) {
		thread_count_lost(&thread->bypassed);
		return DISPATCH_STRAIGHT;
	}
	frame->call.caller = outer ? unwound_caller(thread, caller, outer, depth) : caller;
	frame->call.blocks = thread->blocks;	/* and so frame_thread */
	frame->outer = outer;
	frame->own = (uintptr_t)frame | (depth ? THREAD_NESTED : 0);
	thread->outer[depth % THREAD_FRAMES] = outer;
	/* A handler that finds the mark finds whose it is, see unwound.c. */
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = frame->own | THREAD_INSIDE;
	atomic_signal_fence(memory_order_seq_cst);
	thread->depth = depth;
	frame->call.words = frame->regs;
	frame->call.correlation = ++thread->correlation;
	memcpy(&frame->call.nwords, &list->begin, sizeof(list->begin));
	frame->call.depth = depth;
	frame->list = list;
	if (kind == DISPATCH_STACK)
		take_stack(frame, list->stack_words);
	else if (kind == DISPATCH_FULL)
		take_window(frame, thread);
	return list->enter ? list->enter(&frame->call, list->data) : CUAUDIT_CONTINUE;
}

uint64_t dispatch_moved(struct frame *frame)
{
	unwound_move(frame_thread(frame), (uintptr_t)frame, frame->call.correlation);
	frame->own = frame_cfa(frame);
	return dispatch_exit_moved(frame);
}

/* The thread's state is as before the call. */
static void leave(const struct frame *frame)
{
	struct thread *thread = frame_thread(frame);

	thread->depth = frame->call.depth - 1;
	atomic_signal_fence(memory_order_seq_cst);
	/* Trampolines write the outer one only where there may be one. */
	thread->state = frame->call.depth ? frame->outer : 0;
}

uint64_t dispatch_skipped(struct frame *frame)
{
	frame->call.flags |= CUAUDIT_CALL_SKIPPED;
	frame->call.start = frame->call.end = 0;
	/* Nothing is in the upper half of what is returned. */
	frame->answer[0] = 0;
	/* Where there is one hook, it is the one that answered. */
	for (uint32_t i = frame->list->count; frame->list->count > 1 && i-- > frame->entered;)
		if (frame->list->hooks[i].answered)
			frame->list->hooks[i].answered(&frame->call);
	if (frame->list->exit)
		frame->list->exit(&frame->call, frame->list->data);
	atomic_signal_fence(memory_order_seq_cst);
	leave(frame);
	return (uint32_t)frame->call.result;
}

/*
 * The thread that made the call keeps what it has, for it may be in another by
 * now: the exit hooks have the blocks of the thread that they run on. A thread
 * without memory, or inside of a hook, runs none.
 */
uint64_t dispatch_exit_moved(struct frame *frame)
{
	struct thread *from = frame_thread(frame), *thread = thread_self ? thread_self : thread_begin();
	uint32_t depth;
	uint64_t outer;

	if (!thread || thread->state & THREAD_INSIDE) {
		if (thread)
			thread_count_lost(&thread->bypassed);
		return (uint32_t)frame->call.result;
	}
	outer = thread->state;
	frame->call.blocks = thread->blocks;
	guard_move(frame, from, thread);
	depth = thread->depth;
	atomic_signal_fence(memory_order_seq_cst);
	/* As if of depth 0: what is below it, this thread has not called. */
	thread->state = (uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED;
	atomic_signal_fence(memory_order_seq_cst);
	if (frame->list->exit)
		frame->list->exit(&frame->call, frame->list->data);
	thread->depth = depth;
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = outer;
	return (uint32_t)frame->call.result;
}

void dispatch_give_back(struct frame *frame)
{
	uint64_t *stack = frame_stack(frame);

	for (uint32_t i = 0; i < frame->list->stack_words; i++)
		stack[i] = frame->stack_args[i];
}

static void exit_nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}

/*
 * The enter and exit hooks of a function that has several. The last to enter is jumped to: its
 * scratch stays where it is, for its exit comes first. Compiled for a count that is known, they
 * are straight code: a loop's jumps and registers cost a third of a further hook. The frame has
 * the list, so that none is saved for it.
 */
static inline __attribute__((always_inline)) int enter_hooks(struct frame *frame, uint32_t count)
{
	const struct hook_entry *hook;
	uint32_t i;

#pragma GCC unroll 8
	for (i = 0; i < count - 1; i++) {
		hook = &frame->list->hooks[i];
		if (hook->enter && unlikely(hook->enter(&frame->call, hook->data) == CUAUDIT_SKIP)) {
			frame->entered = i + 1;
			return CUAUDIT_SKIP;
		}
		frame->scratch[i] = frame->call.scratch;
	}
	frame->entered = count;
	hook = &frame->list->hooks[i];
	return hook->enter ? hook->enter(&frame->call, hook->data) : CUAUDIT_CONTINUE;
}

static inline __attribute__((always_inline)) void exit_hooks(struct frame *frame, uint64_t count)
{
	const struct hook_entry *hook;

#pragma GCC unroll 8
	for (uint64_t i = count - 1; i > 0;) {
		hook = &frame->list->hooks[i];
		if (hook->exit)
			hook->exit(&frame->call, hook->data);
		frame->call.scratch = frame->scratch[--i];
	}
	hook = &frame->list->hooks[0];
	if (hook->exit)
		hook->exit(&frame->call, hook->data);
}

static int enter_several(struct cuaudit_call *call, void *data)
{
	struct frame *frame = (struct frame *)call;

	(void)data;
	return enter_hooks(frame, frame->list->count);
}

static void exit_several(struct cuaudit_call *call, void *data)
{
	struct frame *frame = (struct frame *)call;

	(void)data;
	exit_hooks(frame, frame->entered);
}

/* How many hooks functions have that have several; with more, the first one by the loop takes 2.4 ns. */
#define COUNTS(X) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

#define DEFINE(n) \
	static int enter_##n(struct cuaudit_call *call, void *data) \
	{ \
		(void)data; \
		return enter_hooks((struct frame *)call, n); \
	} \
	static void exit_##n(struct cuaudit_call *call, void *data) \
	{ \
		if (likely(((struct frame *)call)->entered == n)) \
			exit_hooks((struct frame *)call, n); \
		else \
			exit_several(call, data); \
	}
COUNTS(DEFINE)

static void take_several(struct hook_list *list)
{
	list->enter = enter_several;
	list->exit = exit_several;
	switch (list->count) {
#define TAKE(n) \
	case n: \
		list->enter = enter_##n; \
		list->exit = exit_##n; \
		break;
	COUNTS(TAKE)
	default:
		break;
	}
}

/* The same of any list, also one whose times the trampolines do not take. */
static int enter_any(struct cuaudit_call *call, void *data)
{
	const struct hook_list *list = data;
	int action = enter_several(call, data);

	if (list->clocked)
		call->start = cuaudit_ticks();
	return action;
}

static void exit_any(struct cuaudit_call *call, void *data)
{
	const struct hook_list *list = data;

	if (list->clocked && !(call->flags & CUAUDIT_CALL_SKIPPED))
		call->end = cuaudit_ticks();
	exit_several(call, data);
}

/* The exit hook of a function that has several, and none that enters: none can skip. */
static void exit_all(struct cuaudit_call *call, void *data)
{
	const struct hook_list *list = data;
	const struct hook_entry *first = list->hooks, *hook = first + list->count;

	while (hook-- > first)
		hook->exit(call, hook->data);
}

/* The enter hook of a function whose words do not lie in the order of its parameters. */
static int enter_irregular(struct cuaudit_call *call, void *data)
{
	struct frame *frame = (struct frame *)call;
	const struct layout *row = entry_row(entry_of_call(call));
	int action;

	layout_gather(frame, row);
	call->words = frame->ordered;
	call->nwords = layout_words(row);
	call->flags = 0;
	action = enter_any(call, data);
	layout_scatter(frame, row);
	return action;
}

/*
 * Where stubs were given to everyone: the enter hook that lets the calls of
 * the driver itself, of its libraries and of excluded ones go straight.
 */
static int enter_filtered(struct cuaudit_call *call, void *data)
{
	struct frame *frame = (struct frame *)call;
	const void *back = arch_plain_address((const void *)(uintptr_t)frame_stack(frame)[-1]);
	struct thread *thread = frame_thread(frame);

	/* What returns to a trampoline came by a jump of what that had called: the driver's function. */
	if (!unwound_is_own(back) && !library_is_excluded(cuaudit_call_library(call)))
		return entry_irregular(entry_of_call(call)) ? enter_irregular(call, data)
								: enter_any(call, data);
	thread->correlation--;
	atomic_signal_fence(memory_order_seq_cst);
	leave(frame);
	return DISPATCH_STRAIGHT;
}

/*
 * The exit hook of a table's slot: nobody knows whether it returns a status, so hooks see none.
 * One that they put there is returned.
 */
static void exit_table(struct cuaudit_call *call, void *data)
{
	int32_t answer = call->result;

	if (!(call->flags & CUAUDIT_CALL_SKIPPED))
		call->result = 0;
	exit_any(call, data);
	if (!call->result && !(call->flags & CUAUDIT_CALL_SKIPPED))
		call->result = answer;
}

/*
 * Of a shared runtime's function: the runtime reports the call that is seen here, which
 * is not to be counted again.
 */
static int enter_bound(struct cuaudit_call *call, void *data)
{
	struct frame *frame = (struct frame *)call;

	frame_thread(frame)->bound = frame;
	return entry_irregular(entry_of_call(call)) ? enter_irregular(call, data) : enter_any(call, data);
}

static void exit_bound(struct cuaudit_call *call, void *data)
{
	frame_thread((struct frame *)call)->bound = NULL;
	exit_any(call, data);
}

void dispatch_prepare(struct hook_list *list, const struct entry *entry, bool timed)
{
	bool irregular = entry_irregular(entry), has_exit = false, has_enter = false;
	bool reported = runtime_row_of_slot(entry->function.slot);
	const struct layout *row = entry_row(entry);
	bool counter = cuaudit_clock.source == CUAUDIT_CLOCK_COUNTER;

	list->begin.nwords = row ? row->nparams : FRAME_NREGS + FRAME_NSTACK_ARGS;
	list->begin.flags = row ? 0 : CUAUDIT_CALL_UNKNOWN;
	if (entry->function.id == CUAUDIT_ID_PROVIDER)
		list->begin.flags |= CUAUDIT_CALL_NO_STATUS;
	for (uint32_t i = 0; i < list->count; i++) {
		has_exit |= list->hooks[i].exit != NULL;
		has_enter |= list->hooks[i].enter != NULL;
	}
	/* Of an unknown function's window, or one of several, nobody knows which words are the callee's to edit. */
	has_exit |= !reported && (!row || irregular || entry_mixed(entry) || link_is_provider(entry->function.driver));
	list->clocked = timed && !counter;
	list->cells = reported && list->count == 1 && !has_exit ? list->hooks[0].fast_path : NULL;
	if (list->count == 1 && !irregular && !list->clocked) {
		list->enter = list->hooks[0].enter;
		list->exit = list->hooks[0].exit ? list->hooks[0].exit : exit_nothing;
		list->data = list->hooks[0].data;
	} else {
		take_several(list);
		list->data = list;
	}
	if (irregular || list->clocked) {
		list->enter = irregular ? enter_irregular : enter_any;
		list->exit = exit_any;
	}
	if (list->count > 1 && !has_enter && !irregular && !list->clocked) {
		list->enter = NULL;
		list->exit = exit_all;
	}
	/* A table's slot is everyone's as well. */
	if (cuaudit_core_link->symtab_interposed || entry->function.id == CUAUDIT_ID_TABLES) {
		list->enter = enter_filtered;
		list->exit = entry->function.id == CUAUDIT_ID_TABLES ? exit_table : exit_any;
		list->data = list;
	}
	if (runtime_row_bound(entry->function.slot)) {
		list->enter = enter_bound;
		list->exit = exit_bound;
		list->data = list;
	}
	if (!has_exit)
		list->exit = NULL;
	list->kind = !has_exit ? LIST_ENTERS : timed && counter ? LIST_TIMES : LIST_EXITS;
}
