/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are, in their order: which of them a function has. */
#ifndef HOOKS_RECORD_H
#define HOOKS_RECORD_H

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
	struct selector *selector;	/* of what the record had last */
	hook_fast_path_fn fast_path;	/* NULL: none */
	hook_answered_fn answered;	/* NULL: none */
	bool innermost;		/* of all, whatever their priorities */
	uint32_t generation;	/* of this record's handles */
};

/* number < RECORDS. */
struct record *record_get(uint32_t number);

/* Under LOCK_SETUP: NULL if all are in use. */
struct record *record_unused(void);

/* Under LOCK_SETUP: reads the hook's functions, for record_select. 0 or -ENOMEM. */
int record_open_selector(struct record *record);

/* Context: setup. The selector of CUAUDIT_FUNCTIONS; NULL: no hook was added. */
const struct selector *record_general(void);

/* Under LOCK_SETUP: whether a hook that was added enforces something. */
bool record_any_policy(void);

/*
 * Context: setup. -ENOTSUP and a message if the hook may skip calls or edit arguments, and names
 * functions of which that cannot be done; -ENOMEM. Else 0.
 */
int record_refuse(const struct cuaudit_hook *hook);

/*
 * Context: call, under LOCK_SETUP: the hook, or all that are in the order, choose
 * among the functions of slots from .. end - 1.
 */
void record_select(struct record *record, uint32_t from, uint32_t end);
void record_select_all(uint32_t from, uint32_t end);

/* Under LOCK_RECORDS: into the order, and out of it, if it is there. */
void record_insert(struct record *record);
void record_remove(const struct record *record);

/*
 * Under LOCK_RECORDS: the hooks of a slot, outermost first, and whether one wants
 * times. More than there is room for: CUAUDIT_HOOKS_MAX + 1.
 */
uint32_t record_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed);

#endif
