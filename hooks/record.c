/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are, in their order: which of them a function has. */
#include "hooks/record.h"

#include <errno.h>
#include <pthread.h>

#include "hooks/core.h"
#include "hooks/registry.h"
#include "names/selector.h"

static struct record records[RECORDS];
static struct record *order[RECORDS];	/* by priority, then by time */
static uint32_t norder;

/*
 * setup_lock is for those who add hooks or functions, and is held over
 * whatever that takes. lock is for what they share with who detaches, in any
 * context: it is held with signals blocked, and nothing is waited for under it.
 */
static pthread_mutex_t setup_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t fork_saved;

void record_begin_setup(void)
{
	pthread_mutex_lock(&setup_lock);
}

void record_end_setup(void)
{
	pthread_mutex_unlock(&setup_lock);
}

void record_take_lock(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	pthread_mutex_lock(&lock);
}

void record_give_lock(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

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
			record->direct ? record->direct(&registry_entries[slot].function) : NULL,
		};
	return (struct hook_entry){ hook->exit ? guard_enter : guard_enter_only,
				    hook->exit ? guard_exit : NULL, &record->guard, NULL };
}

uint32_t record_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed)
{
	uint32_t count = 0;

	*timed = false;
	for (uint32_t i = 0; i < norder && count <= CUAUDIT_HOOKS_MAX; i++) {
		if (!guard_takes(&order[i]->guard, slot))
			continue;
		if (count < CUAUDIT_HOOKS_MAX)
			entries[count] = entry_of(order[i], slot);
		*timed |= order[i]->guard.hook.flags & CUAUDIT_HOOK_TIMED;
		count++;
	}
	return count;
}

int record_select(struct record *record, uint32_t from, uint32_t end)
{
	const struct cuaudit_hook *hook = &record->guard.hook;
	bool restricted = record->owner == HOOK_MODULE;
	struct selector *selector = selector_open(hook->functions ? hook->functions : "");
	struct selector *general = selector_open(cuaudit_core_link->environment.functions);
	int error = selector && general ? 0 : -ENOMEM;

	for (uint32_t i = from; !error && i < end; i++) {
		const struct cuaudit_function *function = &registry_entries[i].function;
		uint64_t bit = (uint64_t)1 << i % 64;

		if (selector_takes(selector, function) &&
		    (!restricted || selector_takes(general, function)))
			atomic_fetch_or(&record->guard.slots[i / 64], bit);
		else
			atomic_fetch_and(&record->guard.slots[i / 64], ~bit);
	}
	if (selector)
		selector_close(selector);
	if (general)
		selector_close(general);
	return error;
}

bool record_select_all(uint32_t from, uint32_t end)
{
	struct record *chosen[RECORDS];
	uint32_t count;
	bool good = true;
	sigset_t saved;

	record_take_lock(&saved);
	count = norder;
	for (uint32_t i = 0; i < count; i++) {
		chosen[i] = order[i];
		chosen[i]->pinned = true;
	}
	record_give_lock(&saved);
	for (uint32_t i = 0; i < count; i++)
		good &= !record_select(chosen[i], from, end);
	record_take_lock(&saved);
	for (uint32_t i = 0; i < count; i++)
		chosen[i]->pinned = false;
	record_give_lock(&saved);
	return good;
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
	uint32_t at = norder++;

	for (; at && order[at - 1]->guard.hook.priority > record->guard.hook.priority; at--)
		order[at] = order[at - 1];
	order[at] = record;
}

void record_remove(const struct record *record)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < norder; i++)
		if (order[i] != record)
			order[to++] = order[i];
	norder = to;
}

void record_fork(void)
{
	sigset_t saved;

	record_take_lock(&saved);
	fork_saved = saved;
}

void record_parent(void)
{
	sigset_t saved = fork_saved;

	record_give_lock(&saved);
}

void record_forked(void)
{
	sigset_t saved = fork_saved;

	pthread_mutex_init(&setup_lock, NULL);
	record_give_lock(&saved);
}
