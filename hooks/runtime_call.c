/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime, as it reports them to tools: hooks run as for a driver call. */
#include "hooks/runtime_call.h"

#include <cuaudit/clock.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/cell.h"
#include "hooks/core_link.h"
#include "hooks/dispatch.h"
#include "hooks/entry.h"
#include "hooks/library.h"
#include "hooks/library_call.h"
#include "hooks/registry.h"
#include "hooks/runtime_caller.h"
#include "hooks/runtime_row.h"
#include "hooks/safe_read.h"
#include "hooks/stack.h"
#include "hooks/thread.h"
#include "hooks/unwound.h"

enum { DEPTH = 16, KEPT = 16, NEAR = 1 << 16, CALLERS = 64 };

/*
 * What is kept of a call while it runs: the report returns, and takes its frame along. Not in a
 * call's order, in which words that were just stored would be loaded two at once, and waited for.
 */
struct pending {
	const void *report, *caller;
	uint64_t start, end, correlation, first_scratch;
	const struct runtime_row *row;
	const struct hook_list *list;
	uint32_t depth, nwords;
	uint64_t entered, guarded, outer;
	uint64_t words[KEPT];
	uint64_t scratch[CUAUDIT_HOOKS_MAX];
};

/* What is read where a runtime reports no parameters. */
static const char zeros[64];

/* A caller that is not excluded, as long as no library comes or goes. */
struct included {
	const void *caller;
	uint32_t generation;
};

/* Those of a thread, the innermost last, before `next`. */
struct runtime_thread {
	struct included included[CALLERS];
	const void *counted;	/* the report of the last call that a hook only counted, ... */
	uint64_t state;		/* ... the thread's state while it runs, ... */
	uint32_t callback;	/* ... and of which function */
	struct pending *next;
	struct pending pending[DEPTH];
};

/* A frame, and what a backtrace by frame pointers finds behind it: the end. */
struct reported {
	struct frame frame;
	const void *end[2];
};

/*
 * What names the call in the thread's state: where the frame of a trampoline would be, had
 * the function one. The report is in its frame, unless a runtime has it elsewhere.
 */
static uintptr_t anchor_of(uintptr_t cfa, const void *report, const void *here)
{
	if (!cfa)
		cfa = (uintptr_t)report - (uintptr_t)here < NEAR ? (uintptr_t)report : (uintptr_t)here;
	return (cfa - 16 - sizeof(struct frame)) & ~(uintptr_t)15;
}

/* A parameter's words. Most are of 8 or 4 bytes, which a copy of any size takes longer for. */
static uint32_t take_param(uint64_t *words, const char *from, uint32_t size)
{
	uint32_t narrow, count = (size + 7) / 8;

	if (size == sizeof(*words)) {
		memcpy(words, from, sizeof(*words));
	} else if (size == sizeof(narrow)) {
		memcpy(&narrow, from, sizeof(narrow));
		*words = narrow;
	} else {
		words[count - 1] = 0;
		memcpy(words, from, size);
	}
	return count;
}

/* Parameters in order, each beginning at a word, as of a driver function; how many words. */
static uint32_t gather(uint64_t *words, const struct runtime_row *row, const char *params)
{
	const struct runtime_place *place = runtime_row_places(row), *end = place + row->nparams;
	uint32_t used = 0;

	for (; place < end && used + (place->size + 7u) / 8 <= KEPT; place++)
		used += take_param(&words[used], params ? params + place->offset : zeros, place->size);
	return used;
}

static int32_t status_of(struct thread *thread, const struct runtime_row *row,
			 const struct runtime_report *report)
{
	uintptr_t at = (uintptr_t)report->status;
	int32_t status = 0;

	if (!row->answers)
		return 0;
	if (at < NEAR)
		return (int32_t)at;
	/* Beside the report, most often, which has been read. */
	if (at / PEEK_PAGE == (uintptr_t)report / PEEK_PAGE && at % sizeof(status) == 0)
		status = *report->status;
	else if (stack_readable(thread, at, at + sizeof(status)))
		memcpy(&status, report->status, sizeof(status));
	else
		safe_read(at, &status, sizeof(status));
	return status;
}

/* The hooks of a frame run: a handler that comes now finds the mark, see unwound.c. */
static void mark(struct thread *thread, struct frame *frame)
{
	uint32_t depth = frame->call.depth;

	thread->outer[depth % THREAD_FRAMES] = frame->outer;
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = (uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED | (depth ? THREAD_NESTED : 0);
	atomic_signal_fence(memory_order_seq_cst);
	thread->depth = depth;
}

static void leave(struct thread *thread, uint32_t depth, uint64_t state)
{
	thread->depth = depth;
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = state;
	atomic_signal_fence(memory_order_seq_cst);
}

static __attribute__((noinline, cold)) struct runtime_thread *begin(struct thread *thread)
{
	struct runtime_thread *calls = cuaudit_pages(sizeof(*calls));

	if (calls)
		calls->next = calls->pending;
	return thread->runtime = calls;
}

/* Room for a call of that depth; calls as deep or deeper were left. */
static struct pending *room(struct thread *thread, uint32_t depth)
{
	struct runtime_thread *calls = thread->runtime;

	if (!calls)
		calls = begin(thread);
	if (!calls)
		return NULL;
	while (calls->next > calls->pending && calls->next[-1].depth >= depth)
		calls->next--;
	return calls->next < calls->pending + DEPTH ? calls->next : NULL;
}

/* What exit hooks are given besides: what enter hooks may have written, of the call, is its scratch. */
static void keep(struct pending *pending, const struct frame *frame)
{
	uint32_t scratches = frame->list->count > 1 ? frame->list->count : 0;

	pending->caller = frame->call.caller;
	pending->correlation = frame->call.correlation;
	pending->nwords = frame->call.nwords;
	pending->first_scratch = frame->call.scratch;
	pending->entered = frame->entered;
	pending->guarded = frame->guarded;
	for (uint32_t i = 0; i < scratches; i++)
		pending->scratch[i] = frame->scratch[i];
}

static void restore(struct frame *frame, struct pending *pending, const struct thread *thread)
{
	uint32_t scratches = pending->list->count > 1 ? pending->list->count : 0;

	frame->call = (struct cuaudit_call){
		.function = &entry_table[runtime_row_slot(pending->row)].function,
		.words = pending->words, .scratch = pending->first_scratch,
		.caller = pending->caller, .correlation = pending->correlation, .blocks = thread->blocks,
		.nwords = pending->nwords, .depth = pending->depth, .flags = CUAUDIT_CALL_OBSERVED,
		.start = pending->start, .end = pending->end,
	};
	frame->list = pending->list;
	frame->entered = pending->entered;
	frame->guarded = pending->guarded;
	frame->outer = pending->outer;
	for (uint32_t i = 0; i < scratches; i++)
		frame->scratch[i] = pending->scratch[i];
}

static __attribute__((noinline, cold)) void report_skip(const struct frame *frame)
{
	static _Atomic bool reported;

	if (!atomic_exchange_explicit(&reported, true, memory_order_relaxed))
		cuaudit_log(CUAUDIT_WARN, "%s: a hook answers the call, which can only be observed; the "
			    "answer is ignored", frame->call.function->name);
}

static __attribute__((noinline))
bool is_excluded(struct included *known, const struct cuaudit_call *call, uint32_t generation)
{
	if (library_is_excluded(library_of_call(call)))
		return true;
	*known = (struct included){ call->caller, generation };
	return false;
}

/* Whether a call is of an excluded library, which is looked up once for each caller. */
static inline bool excluded(struct thread *thread, const struct cuaudit_call *call)
{
	uintptr_t address = (uintptr_t)call->caller;
	struct included *known = &thread->runtime->included[(address >> 2 ^ address >> 9) % CALLERS];
	/* Pairs with set_extent of the auditor. */
	uint32_t generation = atomic_load_explicit(&cuaudit_core_link->generation, memory_order_acquire);

	return unlikely(known->caller != call->caller || known->generation != generation) &&
	       is_excluded(known, call, generation);
}

/*
 * Whether all that is to be done for a call, outside of all others, was to count it as the last one of its caller.
 * Its parameters are not read, and nothing is kept of it but what names it in the thread's state, for calls inside.
 */
static inline __attribute__((always_inline))
bool only_counted(const struct runtime_row *row, const struct runtime_report *report, const void *back)
{
	uint32_t slot = runtime_row_slot(row), distances;
	/* Pairs with registry_publish. */
	const struct hook_list *list = atomic_load_explicit(&entry_table[slot].list, memory_order_acquire);
	struct thread *thread = thread_self;
	struct cuaudit_stat_cell *cell;
	struct runtime_thread *calls;
	struct runtime_caller caller;
	uintptr_t anchor;

	if (!list || !list->cells || !thread || thread->state || !thread->runtime)
		return false;
	distances = runtime_distances(runtime_caller_key(back, row->callback));
	if (unlikely(!distances))
		return false;
	caller = runtime_caller_at(report, distances);
	/* Of an excluded caller, or code of ours, there is none. */
	cell = cell_used(list->cells, thread->blocks, slot, caller.address, *cuaudit_generation);
	if (unlikely(!cell))
		return false;
	/* Before anything is kept of it: a handler's call has its own words, in a state that is not 0. */
	anchor = anchor_of(caller.cfa, report, report);
	leave(thread, 0, anchor);
	calls = thread->runtime;
	/* Of those that were left: none is around this one. */
	calls->next = calls->pending;
	calls->counted = report;
	calls->state = anchor;
	calls->callback = row->callback;
	cell_add(&cell->calls, 1);
	return true;
}

/* Runs the enter hooks; whether exit hooks are due. */
static bool enter(struct frame *frame)
{
	const struct hook_list *list = frame->list;
	int action = list->enter ? list->enter(&frame->call, list->data) : CUAUDIT_CONTINUE;

	if (unlikely(action == CUAUDIT_SKIP))
		report_skip(frame);
	return action != DISPATCH_STRAIGHT;
}

static __attribute__((noinline))
uint64_t begin_call(const struct runtime_row *row, const struct runtime_report *report, const void *back)
{
	const struct entry *entry = &entry_table[runtime_row_slot(row)];
	/* Pairs with registry_publish. */
	const struct hook_list *list = atomic_load_explicit(&entry->list, memory_order_acquire);
	struct thread *thread = thread_self ? thread_self : thread_begin();
	struct runtime_caller caller;
	struct pending *pending;
	struct reported reported;
	struct frame *frame = &reported.frame;
	uint32_t depth = 0;
	uintptr_t anchor;
	uint64_t outer;

	if (!list || unlikely(!thread))
		return 0;
	/* It is seen in its binding. */
	if (thread->bound && thread_frame(thread->state) == (uintptr_t)thread->bound &&
	    runtime_row_bound(thread->bound->call.function->slot) == row)
		return 0;
	caller = runtime_caller(back, report, row->callback);
	anchor = anchor_of(caller.cfa, report, __builtin_frame_address(0));
	outer = thread->state ? unwound_drop(thread, (const struct frame *)anchor, &depth) : 0;
	pending = outer & THREAD_INSIDE ? NULL : room(thread, depth);
	if (unlikely(!pending)) {
		thread_count_lost(&thread->bypassed);
		return 0;
	}
	/* One that was only counted, around which this is not, was left: this may have its report. */
	if (!depth)
		thread->runtime->counted = NULL;
	reported.end[0] = reported.end[1] = NULL;
	frame->call = (struct cuaudit_call){
		.function = &entry->function, .words = pending->words, .blocks = thread->blocks,
		.depth = depth, .flags = CUAUDIT_CALL_OBSERVED, .caller = caller.address,
	};
	frame->list = list;
	frame->entered = frame->guarded = 0;
	frame->outer = outer;
	frame->own = (uintptr_t)__builtin_dwarf_cfa();
	mark(thread, frame);
	if (unlikely(excluded(thread, &frame->call))) {
		leave(thread, depth - 1, outer);
		return 0;
	}
	/* Not before the mark: a handler's call has the same room until then. */
	frame->call.nwords = gather(pending->words, row, report->params);
	frame->call.correlation = ++thread->correlation;
	pending->report = report;
	pending->row = row;
	pending->list = list;
	pending->depth = depth;
	pending->outer = outer;
	if (!enter(frame))
		return 0;
	if (list->exit)
		keep(pending, frame);
	thread->runtime->next = pending + 1;
	pending->start = list->kind == LIST_TIMES ? cuaudit_ticks() : 0;
	leave(thread, depth, anchor | (depth ? THREAD_NESTED : 0));
	return 0;
}

uint64_t runtime_call_enter(const struct runtime_row *row, const struct runtime_report *report,
			    const void *back)
{
	return only_counted(row, report, back) ? 0 : begin_call(row, report, back);
}

/* The call of that report, NULL if its begin was not seen, or it was left. */
static inline struct pending *find(struct runtime_thread *calls, const struct runtime_report *report)
{
	for (struct pending *call = calls->next; call-- > calls->pending;)
		if (call->report == report && call->row->callback == report->callback)
			return call;
	return NULL;
}

/* Calls inside of one of that depth that have not ended were left, by longjmp or an exception. */
static void count_left(struct thread *thread, uint32_t around)
{
	uint32_t depth = thread->state & THREAD_NESTED ? thread->depth : 0;

	for (; depth > around; depth--)
		thread_count_lost(&thread->unwound_calls);
}

static void run_exit(struct thread *thread, struct pending *pending, const struct runtime_report *report)
{
	struct reported reported;
	struct frame *frame = &reported.frame;

	reported.end[0] = reported.end[1] = NULL;
	restore(frame, pending, thread);
	frame->own = (uintptr_t)__builtin_dwarf_cfa();
	mark(thread, frame);
	thread->runtime->next = pending;
	frame->call.result = status_of(thread, pending->row, report);
	frame->list->exit(&frame->call, frame->list->data);
	leave(thread, frame->call.depth - 1, frame->call.depth ? frame->outer : 0);
}

static __attribute__((noinline))
uint64_t end_call(struct thread *thread, struct pending *pending, const struct runtime_report *report)
{
	pending->end = pending->list->kind == LIST_TIMES ? cuaudit_ticks() : 0;
	count_left(thread, pending->depth);
	if (pending->list->exit) {
		run_exit(thread, pending, report);
		return 0;
	}
	thread->runtime->next = pending;
	leave(thread, pending->depth - 1, pending->depth ? pending->outer : 0);
	return 0;
}

static inline bool is_counted(const struct runtime_thread *calls, const struct runtime_report *report)
{
	return calls->counted == report && calls->callback == report->callback;
}

/* Whether what is inside of a call that was only counted, and has ended, was left. */
static inline bool has_left(const struct thread *thread, const struct runtime_thread *calls)
{
	return (thread->state & (THREAD_NESTED | THREAD_INSIDE)) == THREAD_NESTED && thread->outer[1] == calls->state;
}

static __attribute__((noinline))
uint64_t end_around(struct thread *thread, struct runtime_thread *calls, const struct runtime_report *report)
{
	struct pending *pending = find(calls, report);

	if (pending && !(thread->state & THREAD_INSIDE))
		return end_call(thread, pending, report);
	if (!pending && is_counted(calls, report) && has_left(thread, calls)) {
		count_left(thread, 0);
		leave(thread, 0, 0);
	}
	return 0;
}

uint64_t runtime_call_exit(const struct runtime_report *report)
{
	struct thread *thread = thread_self;
	struct runtime_thread *calls = thread ? thread->runtime : NULL;

	if (unlikely(!calls))
		return 0;
	/* Inside of nothing, and around nothing that goes on. */
	if (is_counted(calls, report) && thread->state == calls->state) {
		leave(thread, 0, 0);
		return 0;
	}
	return end_around(thread, calls, report);
}
