/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that are asked at each call whether they are to be entered. */
#include "hooks/guard.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/library_call.h"
#include "hooks/registry.h"

/* What is known of a library, 0 for nothing; record indices go up to the table's size. */
enum { WANTED = 1, UNWANTED = 2, LIBRARIES = LINK_CHUNKS * LINK_CHUNK + 1 };

/*
 * A thread counts itself in, then looks whether the guard is open; who closes
 * it looks for counts after that. One of them sees the other if each has a
 * barrier between the two: with the system's help the closing one has it for
 * both, and a call pays none.
 */
static _Atomic bool barriers;
static bool prepared;

static int membarrier(int command)
{
	int error = errno;
	int result = (int)syscall(SYS_membarrier, command, 0, 0);

	errno = error;
	return result;
}

/*
 * Not before it is needed: there are filters of system calls that end the process for it. A child
 * of fork is registered as its parent was.
 */
void guard_prepare(void)
{
	if (!prepared)
		barriers = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0;
	prepared = true;
}

static bool is_filtered(const struct guard *guard)
{
	return guard->hook.include || guard->hook.exclude;
}

int guard_take_libraries(struct guard *guard)
{
	guard->asks = is_filtered(guard) || guard->hook.flags & CUAUDIT_HOOK_TIMED;
	if (!is_filtered(guard))
		return 0;
	if (guard->libraries)
		memset((void *)guard->libraries, 0, LIBRARIES);
	else
		guard->libraries = cuaudit_pages(LIBRARIES);
	return guard->libraries ? 0 : -ENOMEM;
}

/* Far longer than a processor keeps what it wrote to itself. */
static void outwait_writes(void)
{
	const struct timespec pause = { 0, 1000 * 1000 };
	int error = errno;

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	errno = error;
}

void guard_close(struct guard *guard)
{
	atomic_store(&guard->open, false);
	/* A filter of system calls may have come since guard_prepare. */
	if (!barriers && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		outwait_writes();
}

bool guard_busy(const struct guard *guard)
{
	return thread_any_guarded(guard->number);
}

/* This and what asks it are not in line: each call would save registers for them. */
static __attribute__((noinline)) bool judge(const struct cuaudit_hook *hook,
					    const struct cuaudit_library *library)
{
	bool is_main = library->index &&
		       link_object(cuaudit_core_link, library->index - 1)->flags & LINK_OBJECT_MAIN;
	bool (*matches)(const char *, const char *, bool) = cuaudit_core_link->library_matches;

	if (hook->exclude && matches(hook->exclude, library->path, is_main))
		return false;
	return !hook->include || !*hook->include ||
	       matches(hook->include, library->path, is_main);
}

static __attribute__((noinline)) bool look_at_library(const struct guard *guard,
						      const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = library_of_call(call);
	_Atomic uint8_t *known = &guard->libraries[library->index];
	uint8_t verdict = atomic_load_explicit(known, memory_order_relaxed);

	if (!verdict) {
		/* A record keeps its path, and every thread writes the same. */
		verdict = judge(&guard->hook, library) ? WANTED : UNWANTED;
		atomic_store_explicit(known, verdict, memory_order_relaxed);
	}
	return verdict == WANTED;
}

/* Most often: of a library that the thread knows, and the guard. */
static inline bool wants_library(const struct guard *guard, const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = library_known(call);
	uint8_t verdict = likely(library) ? atomic_load_explicit(&guard->libraries[library->index],
								 memory_order_relaxed) : 0;

	return likely(verdict) ? verdict == WANTED : look_at_library(guard, call);
}

/*
 * The count of the calling thread alone; handlers that come between leave it as
 * it was. An order that is not a constant would be the strongest at each call.
 */
static inline uint32_t counted(_Atomic uint32_t *inside)
{
	return atomic_load_explicit(inside, memory_order_relaxed);
}

static inline void count_in(_Atomic uint32_t *inside)
{
	/* Pairs with guard_close. */
	if (unlikely(atomic_load_explicit(&barriers, memory_order_relaxed)))
		atomic_store_explicit(inside, counted(inside) + 1, memory_order_seq_cst);
	else
		atomic_store_explicit(inside, counted(inside) + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/* Pairs with guard_busy. */
static inline void count_out(_Atomic uint32_t *inside)
{
	atomic_store_explicit(inside, counted(inside) - 1, memory_order_release);
}

/* What takes the guard's place may want times that this call, begun before, has not. */
static bool has_times(const struct guard *guard, const struct cuaudit_call *call)
{
	return !(guard->hook.flags & CUAUDIT_HOOK_TIMED) || ((const struct frame *)call)->list->timed;
}

/* Of a call that is counted in. */
static inline bool is_open(const struct guard *guard, const struct cuaudit_call *call)
{
	return likely(atomic_load(&guard->open)) && guard_takes(guard, call->function->slot);
}

static inline bool wants(const struct guard *guard, const struct cuaudit_call *call)
{
	return has_times(guard, call) && (!is_filtered(guard) || wants_library(guard, call));
}

static _Atomic uint32_t *inside_of(const struct guard *guard, const struct cuaudit_call *call)
{
	return &frame_thread((const struct frame *)call)->guarded[guard->number];
}

static uint64_t bit_of(const struct guard *guard)
{
	return (uint64_t)1 << guard->number;
}

static inline int let_in(const struct guard *guard, struct cuaudit_call *call)
{
	((struct frame *)call)->guarded |= bit_of(guard);
	return guard->hook.enter ? guard->hook.enter(call, guard->hook.data) : CUAUDIT_CONTINUE;
}

static __attribute__((noinline)) int keep_out(const struct guard *guard, struct cuaudit_call *call)
{
	((struct frame *)call)->guarded &= ~bit_of(guard);
	count_out(inside_of(guard, call));
	return CUAUDIT_CONTINUE;
}

static __attribute__((noinline)) int let_in_if_wanted(const struct guard *guard,
						      struct cuaudit_call *call)
{
	return wants(guard, call) ? let_in(guard, call) : keep_out(guard, call);
}

/* What is not needed by most is jumped to, so that no register is saved here. */
int guard_enter(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;

	count_in(inside_of(guard, call));
	if (unlikely(!is_open(guard, call)))
		return keep_out(guard, call);
	return guard->asks ? let_in_if_wanted(guard, call) : let_in(guard, call);
}

int guard_enter_only(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;
	_Atomic uint32_t *inside = inside_of(guard, call);
	int action = CUAUDIT_CONTINUE;

	count_in(inside);
	/* One that took the guard's place since this call began has an exit, perhaps. */
	if (is_open(guard, call) && (!guard->asks || wants(guard, call)) && !guard->hook.exit)
		action = guard->hook.enter(call, guard->hook.data);
	count_out(inside);
	return action;
}

void guard_exit(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;
	struct frame *frame = (struct frame *)call;

	if (!(frame->guarded & bit_of(guard)))
		return;
	if (guard->hook.exit)
		guard->hook.exit(call, guard->hook.data);
	count_out(inside_of(guard, call));
}

int filter_enter(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;
	struct frame *frame = (struct frame *)call;

	if (wants_library(guard, call)) {
		frame->guarded |= bit_of(guard);
		return guard->hook.enter(call, guard->hook.data);
	}
	frame->guarded &= ~bit_of(guard);
	return CUAUDIT_CONTINUE;
}

int filter_enter_only(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;

	return wants_library(guard, call) ? guard->hook.enter(call, guard->hook.data) :
					    CUAUDIT_CONTINUE;
}

void filter_exit(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;

	if (((const struct frame *)call)->guarded & bit_of(guard))
		guard->hook.exit(call, guard->hook.data);
}

void filter_exit_only(struct cuaudit_call *call, void *data)
{
	const struct guard *guard = data;

	if (wants_library(guard, call))
		guard->hook.exit(call, guard->hook.data);
}

void guard_move(const struct frame *frame, struct thread *from, struct thread *to)
{
	const struct hook_list *list = frame->list;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct guard *guard = list->hooks[i].data;
		uint32_t inside;

		if (list->hooks[i].exit != guard_exit || !(frame->guarded >> guard->number & 1))
			continue;
		count_in(&to->guarded[guard->number]);
		/* If from counts at this moment, the hook is thought busy and not released. */
		inside = atomic_load(&from->guarded[guard->number]);
		while (inside && !atomic_compare_exchange_weak(&from->guarded[guard->number],
							       &inside, inside - 1))
			;
	}
}
