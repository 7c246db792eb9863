/* SPDX-License-Identifier: Apache-2.0 */
/* Which hooks each routed function has. */
#ifndef HOOKS_REGISTRY_H
#define HOOKS_REGISTRY_H

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <internal/link.h>
#include "hooks/hook.h"
#include "hooks/layout.h"

/*
 * Immutable once published; the hooks of a function, outermost first. enter,
 * exit and data are the one hook's own where there is one, else dispatch.c's
 * for several; exit is NULL where none has one, enter only in a LIST_TIMES.
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
	struct hook_list *next;	/* of this function's, ever made */
	struct hook_entry hooks[];
};

_Static_assert(offsetof(struct hook_list, exit) == LIST_EXIT, "exit");
_Static_assert(offsetof(struct hook_list, data) == LIST_DATA, "data");
_Static_assert(offsetof(struct hook_list, stack_words) == LIST_STACK_WORDS, "stack_words");
_Static_assert(offsetof(struct hook_list, kind) == LIST_KIND, "kind");
_Static_assert(offsetof(struct hook_list, begin) == LIST_BEGIN, "begin");

/* One slot as the core knows it: a cache line. */
struct entry {
	_Atomic(const struct hook_list *) list;	/* NULL: none */
	_Atomic(void *) real;			/* the auditor's mirror of the slot's */
	struct cuaudit_function function;
	_Atomic uint32_t generation;		/* the auditor's mirror of its own */
	int32_t self;		/* thread_self, from where the processor says that the thread's data is */
};

_Static_assert(sizeof(struct entry) == 1 << ENTRY_SHIFT && offsetof(struct entry, list) == ENTRY_LIST &&
	       offsetof(struct entry, real) == ENTRY_REAL &&
	       offsetof(struct entry, function) == ENTRY_FUNCTION &&
	       offsetof(struct entry, self) == ENTRY_SELF, "entry");

extern struct entry registry_entries[LINK_SLOTS];

/* The entry a function is part of. */
static inline const struct entry *registry_entry_of(const struct cuaudit_function *function)
{
	return (const struct entry *)((const char *)function - offsetof(struct entry, function));
}

static inline const struct entry *registry_entry(const struct cuaudit_call *call)
{
	return registry_entry_of(call->function);
}

/* Its row, NULL where it is newer than the table. */
static inline const struct layout *registry_row(const struct entry *entry)
{
	return entry->function.id < 0 ? NULL : layout_row((uint32_t)entry->function.id);
}

/* Whether a row's words do not lie in the order of its parameters. */
static inline bool registry_irregular(const struct entry *entry)
{
	return registry_row(entry) && !layout_regular(registry_row(entry));
}

/* Whether the function has names of several prototypes, so that more may be passed than its row says. */
bool registry_mixed(const struct entry *entry);

/* Context: setup, once. */
void registry_setup(void);

/*
 * Context: setup, on any thread. Gives every slot that the auditor has added
 * since its function and its hooks, and routes it.
 */
void registry_attach(void);

/* Context: call, in the child of fork. */
void registry_forked(void);

struct selector;

/* Context: setup. Whether a selector takes the function of a slot, by any of its names. */
bool registry_takes(const struct selector *selector, uint32_t slot);

/*
 * Under LOCK_RECORDS: the list of the hooks a slot has now, NULL for none. One
 * that was made before where there is one, so that memory does not grow with
 * every hook that comes and goes. 0, -ENOSPC, -ENOMEM.
 */
int registry_find(uint32_t slot, struct hook_list **found);

/* Under that lock: gives the slot that list, or lets it keep what it has. 0 or as above. */
int registry_publish(uint32_t slot);

#endif
