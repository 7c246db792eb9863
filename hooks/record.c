/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are, in their order: which of them a function has. */
#include "hooks/record.h"

#include <cuaudit/api.h>
#include <errno.h>
#include <signal.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/entry.h"
#include "hooks/export_slot.h"
#include "hooks/lock.h"
#include "hooks/runtime_row.h"
#include "util/selector.h"

static struct record records[RECORDS];

/*
 * By priority, then by time. The one that is not current is changed, and then
 * is: a fork in between leaves the child a whole one.
 */
static struct order {
	uint32_t count;
	struct record *records[RECORDS];
} orders[2], *order = &orders[0];

static struct selector *general;	/* of CUAUDIT_FUNCTIONS */

struct record *record_get(uint32_t number)
{
	return &records[number];
}

struct record *record_unused(void)
{
	for (uint32_t i = 0; i < RECORDS; i++) {
		if (records[i].state == RECORD_UNUSED) {
			/* Calls read it, even of an unused one. */
			if (records[i].guard.number != i)
				records[i].guard.number = i;
			return &records[i];
		}
	}
	return NULL;
}

static struct hook_entry entry_of(struct record *record, uint32_t slot)
{
	const struct cuaudit_hook *hook = &record->guard.hook;

	if (record->state == RECORD_ADDED && !hook->include && !hook->exclude)
		return (struct hook_entry){
			hook->enter, hook->exit, hook->data,
			record->fast_path ? record->fast_path(&entry_table[slot].function) : NULL,
			record->answered,
		};
	if (record->state == RECORD_ADDED)
		return (struct hook_entry){
			!hook->enter ? NULL : hook->exit ? filter_enter : filter_enter_only,
			!hook->exit ? NULL : hook->enter ? filter_exit : filter_exit_only,
			&record->guard, NULL, NULL,
		};
	return (struct hook_entry){ hook->exit ? guard_enter : guard_enter_only,
				    hook->exit ? guard_exit : NULL, &record->guard, NULL, NULL };
}

uint32_t record_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed)
{
	uint32_t count = 0;

	*timed = false;
	for (uint32_t i = 0; i < order->count && count <= CUAUDIT_HOOKS_MAX; i++) {
		struct record *record = order->records[i];

		if (!guard_takes(&record->guard, slot))
			continue;
		if (count < CUAUDIT_HOOKS_MAX)
			entries[count] = entry_of(record, slot);
		*timed |= record->guard.hook.flags & CUAUDIT_HOOK_TIMED;
		count++;
	}
	return count;
}

int record_open_selector(struct record *record)
{
	if (record->selector)
		selector_close(record->selector);
	record->selector = selector_open(record->guard.hook.functions ?
					 record->guard.hook.functions : "");
	if (!general)
		general = selector_open(cuaudit_core_link->environment.functions);
	return record->selector && general ? 0 : -ENOMEM;
}

const struct selector *record_general(void)
{
	return general;
}

static bool observes(const struct cuaudit_hook *hook)
{
	return !hook->enter || hook->flags & CUAUDIT_HOOK_OBSERVES;
}

/* The first function of the runtime's reports that a selector takes, or NULL. */
static const char *reported(const struct selector *selector)
{
	uint32_t count = atomic_load_explicit(&cuaudit_core_link->nslots, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct runtime_row *row = runtime_row_of_slot(i);
		struct cuaudit_function function = { .id = CUAUDIT_ID_RUNTIME };

		if (!row)
			continue;
		function.name = function.base = runtime_row_name(row);
		if (selector_takes(selector, &function))
			return function.name;
	}
	return NULL;
}

static bool takes_driver(const struct selector *selector)
{
	struct cuaudit_function function;
	bool takes = false;

	for (uint32_t id = 0; !takes && !cuaudit_row_get(id, &function); id++)
		takes = selector_takes(selector, &function);
	return takes;
}

int record_refuse(const struct cuaudit_hook *hook)
{
	struct selector *selector;
	const char *function;
	bool others, shared;

	/* Who wants all, or all but some, has those that there are for such a hook. */
	if (observes(hook) || !hook->functions || !*hook->functions || *hook->functions == '!')
		return 0;
	selector = selector_open(hook->functions);
	if (!selector)
		return -ENOMEM;
	function = reported(selector);
	others = takes_driver(selector);
	shared = !others || hook->flags & CUAUDIT_HOOK_PROVIDERS;
	selector_close(selector);
	if (!function)
		return 0;
	cuaudit_log(CUAUDIT_WARN,
		    "%s: calls of %s can only be observed, neither answered nor changed; %s%s%s%s",
		    hook->name ? hook->name : "a hook", function,
		    others ? "add !%runtime to its functions" : "", others && shared ? ", or " : "",
		    shared ? "name those of shared runtimes alone, libcudart.so.*:" : "",
		    shared ? function : "");
	return -ENOTSUP;
}

/* Whether the hook is for a shared runtime's function by the name of that, which can be changed. */
static bool names_library(const struct record *record, uint32_t slot)
{
	const char *functions = record->guard.hook.functions;
	struct cuaudit_function function = {
		.id = CUAUDIT_ID_RUNTIME, .name = entry_table[slot].function.base,
		.base = entry_table[slot].function.base,
	};

	return functions && *functions && *functions != '!' &&
	       selector_takes(record->selector, &function);
}

/* Whether the hook is for functions of the slot's domain. */
static bool in_domain(const struct record *record, uint32_t slot)
{
	if (runtime_row_of_slot(slot))
		return observes(&record->guard.hook);
	if (export_slot_is(slot))
		return *export_slot_base(slot);
	/* Others are seen as the runtime reports them. */
	if (runtime_row_bound(slot))
		return runtime_row_layout(slot) &&
		       (observes(&record->guard.hook) || names_library(record, slot));
	if (link_is_provider(cuaudit_core_link->slots[slot].driver))
		return record->guard.hook.flags & CUAUDIT_HOOK_PROVIDERS;
	return record->owner != HOOK_MODULE || domain_is_on(DOMAIN_DRIVER);
}

void record_select(struct record *record, uint32_t from, uint32_t end)
{
	bool restricted = record->owner == HOOK_MODULE;

	for (uint32_t i = from; i < end; i++) {
		uint64_t bit = (uint64_t)1 << i % 64;

		if (in_domain(record, i) && entry_takes(record->selector, i) &&
		    (!restricted || entry_takes(general, i)))
			atomic_fetch_or(&record->guard.slots[i / 64], bit);
		else
			atomic_fetch_and(&record->guard.slots[i / 64], ~bit);
	}
}

void record_select_all(uint32_t from, uint32_t end)
{
	struct order chosen;
	sigset_t saved;

	lock_take(LOCK_RECORDS, &saved);
	chosen = *order;
	lock_release(LOCK_RECORDS, &saved);
	/* None of these is used for another hook before LOCK_SETUP is free. */
	for (uint32_t i = 0; i < chosen.count; i++)
		record_select(chosen.records[i], from, end);
}

static struct order *next_order(void)
{
	struct order *next = order == &orders[0] ? &orders[1] : &orders[0];

	*next = *order;
	return next;
}

static void use(struct order *next)
{
	atomic_signal_fence(memory_order_seq_cst);
	order = next;
}

static bool inside_of(const struct record *a, const struct record *b)
{
	return a->innermost != b->innermost ? a->innermost :
	       a->guard.hook.priority > b->guard.hook.priority;
}

bool record_any_policy(void)
{
	for (uint32_t i = 0; i < RECORDS; i++)
		if (records[i].state == RECORD_ADDED && records[i].owner == HOOK_POLICY)
			return true;
	return false;
}

void record_insert(struct record *record)
{
	struct order *next = next_order();
	uint32_t at = next->count++;

	for (; at && inside_of(next->records[at - 1], record); at--)
		next->records[at] = next->records[at - 1];
	next->records[at] = record;
	use(next);
}

void record_remove(const struct record *record)
{
	struct order *next = next_order();

	next->count = 0;
	for (uint32_t i = 0; i < order->count; i++)
		if (order->records[i] != record)
			next->records[next->count++] = order->records[i];
	use(next);
}
