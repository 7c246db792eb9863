/* SPDX-License-Identifier: Apache-2.0 */
/* Which hooks each intercepted function has. */
#ifndef HOOKS_REGISTRY_H
#define HOOKS_REGISTRY_H

#include <cuaudit/hook.h>
#include <stdbool.h>

#include <internal/link.h>
#include "hooks/entry.h"
#include "hooks/hook.h"

/* Of what kind: call->start and end are wanted and there is an exit hook, only that, neither. */
enum { LIST_TIMES, LIST_EXITS, LIST_ENTERS };	/* in an order that trampolines compare by */

/*
 * Immutable once published; the hooks of a function, outermost first. enter,
 * exit and data are the one hook's own where there is one, else dispatch.c's
 * for several; exit, or enter, is NULL where none has one.
 */
struct hook_list {
	cuaudit_enter_fn enter;
	cuaudit_exit_fn exit;
	void *data;
	uint32_t stack_words;	/* to pass on */
	uint32_t kind;		/* LIST_TIMES, LIST_EXITS or LIST_ENTERS */
	struct {
		uint32_t nwords, depth, result, flags;
	} begin;	/* what a call begins with */
	uint32_t count;
	uint32_t clocked;	/* enter and exit read the system's clock */
	bool timed;		/* one of them wants times */
	const struct cells *cells;	/* of the only hook of a function that a runtime reports; NULL: none */
	struct hook_list *next;	/* of this function's, ever made */
	struct hook_entry hooks[];
};

/* As of a call: trampolines copy them at once. */
_Static_assert(offsetof(struct cuaudit_call, flags) - offsetof(struct cuaudit_call, nwords) ==
	       offsetof(struct hook_list, begin.flags) - offsetof(struct hook_list, begin), "begin");

/*
 * Context: setup, on any thread. Gives every slot that the auditor has added
 * since its function and its hooks, and routes it.
 */
void registry_attach(void);

/* Context: call. The same for slots that have other functions now; they are below nslots. */
void registry_attach_slots(uint32_t from, uint32_t end);

/* Context: call, in the child of fork. */
void registry_forked(void);

/*
 * Under LOCK_RECORDS: the list of the hooks a slot has now, NULL for none. One
 * that was made before where there is one, so that memory does not grow with
 * every hook that comes and goes. 0, -ENOSPC, -ENOMEM.
 */
int registry_find(uint32_t slot, struct hook_list **found);

/* Under that lock: gives the slot that list, or lets it keep what it has. 0 or as above. */
int registry_publish(uint32_t slot);

#endif
