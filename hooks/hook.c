/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are: added, attached, detached, given back. */
#include "hooks/hook.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "hooks/core.h"
#include "hooks/guard.h"
#include "hooks/known.h"
#include "hooks/registry.h"
#include "hooks/thread.h"
#include "names/selector.h"

enum { NUMBERS = CUAUDIT_HOOKS_ALL, OLDEST = offsetof(struct cuaudit_hook, flags) };

/* One that is DETACHED may still have calls inside; a RELEASED one is being given back. */
enum state { FREE, ADDED, ATTACHED, DETACHED, RELEASED };

static struct record {
	struct guard guard;
	enum state state;
	enum hook_owner owner;
	const void *module;
	uint32_t generation;	/* of this record's handles */
	bool pinned;		/* its strings are being read */
} records[NUMBERS];

static struct record *order[NUMBERS];	/* by priority, then by time */
static uint32_t norder;
static const void *module;

/*
 * setup_lock is for those who add hooks or functions, and is held over
 * whatever that takes. lock is for what they share with who detaches, in any
 * context: it is held with signals blocked, and nothing is waited for under it.
 */
static pthread_mutex_t setup_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t fork_saved;

void hook_begin_setup(void)
{
	pthread_mutex_lock(&setup_lock);
}

void hook_end_setup(void)
{
	pthread_mutex_unlock(&setup_lock);
}

void hook_take_lock(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	pthread_mutex_lock(&lock);
}

void hook_give_lock(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static struct hook_entry entry_of(struct record *record)
{
	const struct cuaudit_hook *hook = &record->guard.hook;

	if (record->state == ADDED && !hook->include && !hook->exclude)
		return (struct hook_entry){ hook->enter, hook->exit, hook->data };
	return (struct hook_entry){ hook->exit ? guard_enter : guard_enter_only,
				    hook->exit ? guard_exit : NULL, &record->guard };
}

uint32_t hook_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed)
{
	uint32_t count = 0;

	*timed = false;
	for (uint32_t i = 0; i < norder && count <= CUAUDIT_HOOKS_MAX; i++) {
		if (!guard_takes(&order[i]->guard, slot))
			continue;
		if (count < CUAUDIT_HOOKS_MAX)
			entries[count] = entry_of(order[i]);
		*timed |= order[i]->guard.hook.flags & CUAUDIT_HOOK_TIMED;
		count++;
	}
	return count;
}

/* Sets the record's bits of slots from .. end - 1. Under setup_lock. */
static int select_slots(struct record *record, uint32_t from, uint32_t end)
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

bool hook_select_all(uint32_t from, uint32_t end)
{
	struct record *chosen[NUMBERS];
	uint32_t count;
	bool good = true;
	sigset_t saved;

	hook_take_lock(&saved);
	count = norder;
	for (uint32_t i = 0; i < count; i++) {
		chosen[i] = order[i];
		chosen[i]->pinned = true;
	}
	hook_give_lock(&saved);
	for (uint32_t i = 0; i < count; i++)
		good &= !select_slots(chosen[i], from, end);
	hook_take_lock(&saved);
	for (uint32_t i = 0; i < count; i++)
		chosen[i]->pinned = false;
	hook_give_lock(&saved);
	return good;
}

/* Copies a structure of any version that is known; what an older one lacks is zero. */
static int take_hook(struct cuaudit_hook *whole, const struct cuaudit_hook *given)
{
	const char *rest = (const char *)given + sizeof(*whole);
	size_t size = given->size;

	if (size < OLDEST)
		return -EINVAL;
	for (; size > sizeof(*whole); size--)
		if (rest[size - sizeof(*whole) - 1])
			return -E2BIG;
	*whole = (struct cuaudit_hook){ 0 };
	memcpy(whole, given, size);
	return whole->enter || whole->exit ? 0 : -EINVAL;
}

static int check_selector(const struct cuaudit_hook *hook)
{
	const char *name = hook->name ? hook->name : "a hook", *part;
	char near[SELECTOR_NEAR];
	size_t length;
	bool fault;

	if (!hook->functions)
		return 0;
	part = selector_fault(hook->functions, &length);
	fault = part;
	if (!part)
		part = selector_stranger(hook->functions, &length, known_function);
	if (!part)
		return 0;
	selector_near(part, length, near, known_function);
	cuaudit_log(CUAUDIT_WARN, "%s: '%.*s' %s%s", name, (int)length, part,
		    fault ? "is no selector" : "names no function", near);
	return fault ? -EINVAL : -ENOENT;
}

static struct record *free_record(void)
{
	for (uint32_t i = 0; i < NUMBERS; i++) {
		if (records[i].state == FREE) {
			/* Calls read it, even of a free one. */
			if (records[i].guard.number != i)
				records[i].guard.number = i;
			return &records[i];
		}
	}
	return NULL;
}

static void insert(struct record *record)
{
	uint32_t at = norder++;

	for (; at && order[at - 1]->guard.hook.priority > record->guard.hook.priority; at--)
		order[at] = order[at - 1];
	order[at] = record;
}

static void take_out(const struct record *record)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < norder; i++)
		if (order[i] != record)
			order[to++] = order[i];
	norder = to;
}

/* Under lock: all of the hook's functions have it, or none has. */
static int show(struct record *record, enum state state)
{
	uint32_t ready = cuaudit_functions();
	struct hook_list *list;
	int error = 0;

	record->state = state;
	insert(record);
	for (uint32_t i = 0; !error && i < ready; i++)
		if (guard_takes(&record->guard, i))
			error = registry_find(i, &list);
	if (error) {
		take_out(record);
		record->state = FREE;
		return error;
	}
	record->generation++;
	/* Pairs with come_in of guard.c. */
	atomic_store(&record->guard.open, true);
	for (uint32_t i = 0; i < ready; i++)
		if (guard_takes(&record->guard, i))
			registry_publish(i);
	return 0;
}

/* The hook's record in *added. */
static int add(const struct cuaudit_hook *given, enum hook_owner owner, enum state state,
	       struct record **added)
{
	struct cuaudit_hook hook;
	struct record *record;
	sigset_t saved;
	int error;

	if (!cuaudit_core_link)
		return -ENODEV;
	error = take_hook(&hook, given);
	if (!error)
		error = check_selector(&hook);
	if (error)
		return error;
	hook_reap();
	pthread_mutex_lock(&setup_lock);
	record = free_record();
	if (!record) {
		error = -ENOSPC;
		goto out;
	}
	record->guard.hook = hook;
	record->owner = owner;
	record->module = module;
	error = guard_take_libraries(&record->guard);
	if (!error)
		error = select_slots(record, 0, cuaudit_functions());
	if (error)
		goto out;
	hook_take_lock(&saved);
	error = show(record, state);
	hook_give_lock(&saved);
	*added = record;
out:
	pthread_mutex_unlock(&setup_lock);
	return error;
}

int hook_add(const struct cuaudit_hook *hook, enum hook_owner owner)
{
	struct record *record;

	return add(hook, owner, ADDED, &record);
}

int cuaudit_hook_add(const struct cuaudit_hook *hook)
{
	return hook_add(hook, HOOK_MODULE);
}

/* Handles: the generation in 24 bits above the record's number. */
static int handle_of(const struct record *record)
{
	return (int)((record->generation & 0xffffff) << 7 | record->guard.number);
}

static struct record *record_of(int handle)
{
	struct record *record = &records[handle & (NUMBERS - 1)];

	return handle > 0 && record->state != FREE && record->state != ADDED &&
	       handle_of(record) == handle ? record : NULL;
}

int cuaudit_hook_attach(const struct cuaudit_hook *hook)
{
	struct record *record;
	int error = add(hook, HOOK_MODULE, ATTACHED, &record);

	return error ? error : handle_of(record);
}

int cuaudit_hook_detach(int handle)
{
	struct record *record;
	sigset_t saved;
	uint32_t ready;
	int result = -ENOENT;

	hook_take_lock(&saved);
	record = record_of(handle);
	if (record && record->state == ATTACHED) {
		guard_close(&record->guard);
		take_out(record);
		ready = cuaudit_functions();
		/* A list that cannot be had leaves the guard in place, closed. */
		for (uint32_t i = 0; i < ready; i++)
			if (guard_takes(&record->guard, i))
				registry_publish(i);
		record->state = DETACHED;
		result = 0;
	}
	hook_give_lock(&saved);
	return result;
}

static struct record *next_to_release(void)
{
	struct record *found = NULL;
	sigset_t saved;

	hook_take_lock(&saved);
	for (uint32_t i = 0; i < NUMBERS && !found; i++) {
		struct record *record = &records[i];

		if (record->state == DETACHED && !record->pinned && !guard_busy(&record->guard)) {
			record->state = RELEASED;
			found = record;
		}
	}
	hook_give_lock(&saved);
	return found;
}

void hook_reap(void)
{
	struct record *record;
	sigset_t saved;

	while ((record = next_to_release())) {
		if (record->guard.hook.released)
			record->guard.hook.released(record->guard.hook.data);
		hook_take_lock(&saved);
		record->state = FREE;
		hook_give_lock(&saved);
	}
}

/* What keeps a hook from being given back; 0 where nothing does. */
static int held(int handle)
{
	const struct record *record;
	sigset_t saved;
	int result = 0;

	hook_take_lock(&saved);
	record = record_of(handle);
	if (record)
		result = record->state == ATTACHED ? -EBUSY :
			 thread_self && thread_self->guarded[record->guard.number] ? -EDEADLK :
			 -ETIMEDOUT;
	hook_give_lock(&saved);
	return result;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int cuaudit_hook_synchronize(int handle, int milliseconds)
{
	const struct timespec pause = { 0, 100 * 1000 };
	int64_t end = now_ms() + milliseconds;
	int result;

	for (;;) {
		hook_reap();
		result = held(handle);
		if (result != -ETIMEDOUT || (milliseconds >= 0 && now_ms() >= end))
			return result;
		nanosleep(&pause, NULL);
	}
}

void hook_module(const void *owner)
{
	module = owner;
}

void hook_drop(const void *owner)
{
	for (uint32_t i = 0; i < NUMBERS; i++) {
		if (records[i].state == FREE || records[i].module != owner)
			continue;
		take_out(&records[i]);
		records[i].state = FREE;
	}
}

void hook_fork(void)
{
	sigset_t saved;

	hook_take_lock(&saved);
	fork_saved = saved;
}

void hook_parent(void)
{
	sigset_t saved = fork_saved;

	hook_give_lock(&saved);
}

void hook_forked(void)
{
	sigset_t saved = fork_saved;

	pthread_mutex_init(&setup_lock, NULL);
	hook_give_lock(&saved);
}
