/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that are asked at each call whether they are to be entered. Context: call. */
#ifndef HOOKS_GUARD_H
#define HOOKS_GUARD_H

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <internal/link.h>

struct frame;
struct thread;

/*
 * A hook that can be detached, or is for some libraries only. Lists hold the
 * guard's functions instead of the hook's, so that the lists stay good, and
 * are the same, however often another hook takes the guard's place.
 */
struct guard {
	_Atomic bool open;		/* calls may enter */
	bool asks;			/* more than whether it is open and for the function */
	uint32_t number;		/* of CUAUDIT_HOOKS_ALL */
	struct cuaudit_hook hook;	/* not written to while a call is inside */
	_Atomic uint64_t slots[LINK_SLOTS / 64];	/* bit n: slot n's function is selected */
	_Atomic uint8_t *libraries;	/* what is known of each by its index, see guard.c */
};

static inline bool guard_takes(const struct guard *guard, uint32_t slot)
{
	return atomic_load_explicit(&guard->slots[slot / 64], memory_order_relaxed) >>
		       slot % 64 & 1;
}

/* Context: setup, closed. Before a guard that may be closed is open. */
void guard_prepare(void);

/* Context: setup, closed. Takes hook's libraries; 0 or -ENOMEM. */
int guard_take_libraries(struct guard *guard);

/* After this, no call is let in, and guard_busy sees those that were. */
void guard_close(struct guard *guard);

/* Whether a call is inside. */
bool guard_busy(const struct guard *guard);

/* The hooks of lists; data: the guard. guard_enter_only is for those without exit. */
int guard_enter(struct cuaudit_call *call, void *data);
int guard_enter_only(struct cuaudit_call *call, void *data);
void guard_exit(struct cuaudit_call *call, void *data);

/*
 * The same of one that is for some libraries and cannot be detached: no other takes its place,
 * so calls are not counted. filter_enter_only and filter_exit_only: of hooks that have that alone.
 */
int filter_enter(struct cuaudit_call *call, void *data);
int filter_enter_only(struct cuaudit_call *call, void *data);
void filter_exit(struct cuaudit_call *call, void *data);
void filter_exit_only(struct cuaudit_call *call, void *data);

/* A call that began on one thread ends on another: that one is inside of its hooks now. */
void guard_move(const struct frame *frame, struct thread *from, struct thread *to);

#endif
