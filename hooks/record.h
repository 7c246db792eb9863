/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are, in their order: which of them a function has. */
#ifndef HOOKS_RECORD_H
#define HOOKS_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "hooks/guard.h"
#include "hooks/hook.h"

enum { RECORDS = CUAUDIT_HOOKS_ALL };

enum record_state {
	RECORD_UNUSED,
	RECORD_ADDED,
	RECORD_ATTACHED,
	RECORD_DETACHED,	/* calls may still be inside */
	RECORD_RELEASED		/* is being given back */
};

struct record {
	struct guard guard;
	enum record_state state;
	enum hook_owner owner;
	const void *module;
	hook_direct_fn direct;	/* NULL: none */
	uint32_t generation;	/* of this record's handles */
	bool pinned;		/* its strings are being read */
};

/* Around what adds hooks or functions, and takes its time. */
void record_begin_setup(void);
void record_end_setup(void);

/* Context: call. Around what changes the hooks of functions, with signals blocked. */
void record_take_lock(sigset_t *saved);
void record_give_lock(const sigset_t *saved);

/* number < RECORDS. */
struct record *record_get(uint32_t number);

/* In setup: NULL if all are in use. */
struct record *record_unused(void);

/*
 * In setup: the hook, or all that are in the order, choose among the functions
 * of slots from .. end - 1. 0 or -ENOMEM; false without memory.
 */
int record_select(struct record *record, uint32_t from, uint32_t end);
bool record_select_all(uint32_t from, uint32_t end);

/* In setup: whether a hook that was added enforces something. */
bool record_any_policy(void);

/* Under the lock: into the order, and out of it, if it is there. */
void record_insert(struct record *record);
void record_remove(const struct record *record);

/*
 * Under the lock: the hooks of a slot, outermost first, and whether one wants
 * times. More than there is room for: CUAUDIT_HOOKS_MAX + 1.
 */
uint32_t record_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed);

/* Context: call. Around fork: no hook is half attached in the child. */
void record_fork(void);
void record_parent(void);
void record_forked(void);

#endif
