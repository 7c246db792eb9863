/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions as the core knows them, a slot each. */
#ifndef HOOKS_ENTRY_H
#define HOOKS_ENTRY_H

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <internal/link.h>
#include "hooks/layout.h"
#include "hooks/runtime_row.h"

struct hook_list;
struct selector;

/* One slot as the core knows it: a cache line. */
struct entry {
	_Atomic(const struct hook_list *) list;	/* NULL: none */
	_Atomic(void *) real;			/* the auditor's mirror of the slot's */
	struct cuaudit_function function;
	_Atomic uint32_t generation;		/* the auditor's mirror of its own */
	int32_t self;		/* thread_self, from where the processor says that the thread's data is */
};

_Static_assert(sizeof(struct entry) == 64, "a line");

extern struct entry entry_table[LINK_SLOTS];

/* The entry a function is part of. */
static inline const struct entry *entry_of_function(const struct cuaudit_function *function)
{
	return (const struct entry *)((const char *)function - offsetof(struct entry, function));
}

static inline const struct entry *entry_of_call(const struct cuaudit_call *call)
{
	return entry_of_function(call->function);
}

/* Its row, NULL where it is newer than the table, or of no driver and no shared runtime. */
static inline const struct layout *entry_row(const struct entry *entry)
{
	return entry->function.id >= 0 ? layout_row((uint32_t)entry->function.id) :
					 runtime_row_layout(entry->function.slot);
}

/* Whether a row's words do not lie in the order of its parameters. */
static inline bool entry_irregular(const struct entry *entry)
{
	return entry_row(entry) && !layout_regular(entry_row(entry));
}

/* Whether the function has names of several prototypes, so that more may be passed than its row says. */
bool entry_mixed(const struct entry *entry);

/* Context: setup, once. */
void entry_setup(void);

/* Context: setup. Fills in the function of a slot: of several names, one that the table has. */
void entry_describe(uint32_t slot);

/* Context: setup. So many slots have their functions and hooks. */
void entry_set_ready(uint32_t count);

/*
 * Context: setup. Whether a selector takes the function of a slot: its last part that has any of
 * the names decides, so that what is left out by one of them is not taken by another.
 */
bool entry_takes(const struct selector *selector, uint32_t slot);

#endif
