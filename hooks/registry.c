/* SPDX-License-Identifier: Apache-2.0 */
/* Which hooks each intercepted function has. */
#include "hooks/registry.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <string.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/dispatch.h"
#include "hooks/layout.h"
#include "hooks/lock.h"
#include "hooks/record.h"
#include "hooks/runtime_flags.h"
#include "hooks/runtime_row.h"
#include "hooks/strict.h"
#include "hooks/thread.h"
#include "util/selector.h"

static struct hook_list *lists[LINK_SLOTS];	/* all that were ever made */
static char *pool;
static size_t pool_left;

/*
 * Lists come out of pages that are never freed: a call may still read them.
 * Each begins a line of the cache, that the trampolines read no second one.
 */
static struct hook_list *new_list(uint32_t count)
{
	enum { POOL = 64 * 1024, LINE = 64 };
	size_t size = sizeof(struct hook_list) + count * sizeof(struct hook_entry);
	struct hook_list *list;

	size = (size + LINE - 1) / LINE * LINE;
	if (size > pool_left) {
		pool = cuaudit_pages(POOL);
		pool_left = pool ? POOL : 0;
		if (!pool)
			return NULL;
	}
	list = (struct hook_list *)pool;
	pool += size;
	pool_left -= size;
	return list;
}

static bool same(const struct hook_list *list, const struct hook_entry *wanted, uint32_t count,
		 bool timed)
{
	bool is = list->count == count && list->timed == timed;

	for (uint32_t i = 0; is && i < count; i++)
		is = list->hooks[i].enter == wanted[i].enter &&
		     list->hooks[i].exit == wanted[i].exit &&
		     list->hooks[i].data == wanted[i].data &&
		     list->hooks[i].fast_path == wanted[i].fast_path &&
		     list->hooks[i].answered == wanted[i].answered;
	return is;
}

int registry_find(uint32_t slot, struct hook_list **found)
{
	struct hook_entry wanted[CUAUDIT_HOOKS_MAX];
	const struct entry *entry = &entry_table[slot];
	struct hook_list *list;
	uint32_t count;
	bool timed;

	*found = NULL;
	count = record_choose(slot, wanted, &timed);
	if (count > CUAUDIT_HOOKS_MAX)
		return -ENOSPC;
	if (!count)
		return 0;
	for (list = lists[slot]; list && !same(list, wanted, count, timed);)
		list = list->next;
	if (!list) {
		list = new_list(count);
		if (!list)
			return -ENOMEM;
		memcpy(list->hooks, wanted, count * sizeof(*wanted));
		list->count = count;
		list->stack_words = entry_row(entry) ?
				    layout_stack_words(entry_row(entry)) : 0;
		list->timed = timed;
		dispatch_prepare(list, entry, timed);
		list->next = lists[slot];
		lists[slot] = list;
	}
	*found = list;
	return 0;
}

static void *trampoline(const struct entry *entry, const struct hook_list *list)
{
	bool timed = list->kind == LIST_TIMES && !list->enter;
	const struct layout *row = entry_row(entry);
	const struct hook_entry *only = &list->hooks[0];

	/* The hook itself, not one of dispatch.c's that runs it. */
	if (only->fast_path && (list->kind == LIST_ENTERS ? list->enter == only->enter :
							    timed && list->exit == only->exit))
		return only->fast_path;
	if (link_is_provider(entry->function.driver))
		return (void *)trampoline_wide;
	if (!row || entry_irregular(entry) || entry_mixed(entry))
		return (void *)trampoline_full;
	if (layout_stack_words(row))
		return (void *)trampoline_stack;
	if (row->nparams > 2)
		return timed ? (void *)trampoline_registers_timed : (void *)trampoline_registers;
	return timed ? (void *)trampoline_two_timed : (void *)trampoline_two;
}

static void route(uint32_t slot)
{
	const struct entry *entry = &entry_table[slot];
	const struct hook_list *list = atomic_load_explicit(&entry->list, memory_order_relaxed);
	const struct runtime_row *row = runtime_row_of_slot(slot);
	void *real;

	/* Nobody calls a stub of it. */
	if (row) {
		runtime_flags_want(row->callback, list);
		return;
	}
	/* The auditor fills in another copy of the driver whenever one is loaded. */
	do {
		real = atomic_load(&entry->real);
		/*
		 * Pairs with the jump of the stub: the list is there before the trampoline.
		 * With fill_slot of the auditor, seq_cst: it sees this, or is seen below.
		 */
		atomic_store(&cuaudit_core_link->routes[slot],
			     list ? trampoline(entry, list) : real);
	} while (atomic_load(&entry->real) != real);
}

int registry_publish(uint32_t slot)
{
	struct hook_list *list;
	int error = registry_find(slot, &list);

	if (error)
		return error;
	/* Pairs with the dispatch functions. */
	atomic_store_explicit(&entry_table[slot].list, list, memory_order_release);
	route(slot);
	return 0;
}

/* Under LOCK_SETUP: gives slots from .. end - 1 their functions and hooks; to how many there is no room for them. */
static uint32_t attach(uint32_t from, uint32_t end)
{
	uint32_t unfit = 0;
	sigset_t saved;

	for (uint32_t i = from; i < end; i++)
		entry_describe(i);
	if (from < end)
		record_select_all(from, end);
	for (uint32_t i = from; i < end; i++) {
		lock_take(LOCK_RECORDS, &saved);
		if (registry_publish(i)) {
			unfit++;
			route(i);
		}
		if (i == cuaudit_functions())
			entry_set_ready(i + 1);
		lock_release(LOCK_RECORDS, &saved);
	}
	return unfit;
}

static void report_unfit(uint32_t unfit)
{
	if (unfit)
		strict_fault(record_any_policy(), "; none of their hooks is called",
			     "%u functions have more than %d hooks, or no memory is left for them",
			     unfit, CUAUDIT_HOOKS_MAX);
}

void registry_attach(void)
{
	uint32_t unfit;
	sigset_t saved;

	lock_take(LOCK_SETUP, &saved);
	unfit = attach(cuaudit_functions(),
		       atomic_load_explicit(&cuaudit_core_link->nslots, memory_order_acquire));
	lock_release(LOCK_SETUP, &saved);
	report_unfit(unfit);
}

void registry_attach_slots(uint32_t from, uint32_t end)
{
	uint32_t unfit;
	sigset_t saved;

	lock_take(LOCK_SETUP, &saved);
	unfit = attach(from, end);
	lock_release(LOCK_SETUP, &saved);
	report_unfit(unfit);
}

void registry_forked(void)
{
	/* Another thread may have been taking some of it. */
	pool_left = 0;
}
