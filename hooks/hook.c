/* SPDX-License-Identifier: Apache-2.0 */
/* Adds hooks, attaches and detaches them, and gives them back. */
#include "hooks/hook.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "hooks/lock.h"
#include "hooks/record.h"
#include "hooks/registry.h"
#include "hooks/thread.h"

enum { OLDEST = offsetof(struct cuaudit_hook, flags) };

static const void *module;	/* whose hooks are being added */
static bool policy;		/* it enforces something */

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
	if (whole->flags & ~(uint32_t)(CUAUDIT_HOOK_TIMED | CUAUDIT_HOOK_OBSERVES |
				      CUAUDIT_HOOK_PROVIDERS))
		return -E2BIG;
	return whole->enter || whole->exit ? 0 : -EINVAL;
}

/* What is known to be wrong with a hook before it is added; taken gets it, of any version. */
static int check(struct cuaudit_hook *taken, const struct cuaudit_hook *given)
{
	int error;

	if (!cuaudit_core_link)
		return -ENODEV;
	error = take_hook(taken, given);
	if (!error && taken->functions)
		error = cuaudit_selector_check(taken->name ? taken->name : "a hook",
					       taken->functions);
	return error ? error : record_refuse(taken);
}

int cuaudit_hook_check(const struct cuaudit_hook *hook)
{
	struct cuaudit_hook taken;

	return check(&taken, hook);
}

/* Under LOCK_RECORDS: all of the hook's functions have it, or none has. */
static int show(struct record *record, enum record_state state)
{
	uint32_t ready = cuaudit_functions();
	struct hook_list *list;
	int error = 0;

	record->state = state;
	record_insert(record);
	for (uint32_t i = 0; !error && i < ready; i++)
		if (guard_takes(&record->guard, i))
			error = registry_find(i, &list);
	if (error) {
		record_remove(record);
		record->state = RECORD_UNUSED;
		return error;
	}
	record->generation++;
	/* Pairs with try_enter of guard.c. */
	atomic_store(&record->guard.open, true);
	for (uint32_t i = 0; i < ready; i++)
		if (guard_takes(&record->guard, i))
			registry_publish(i);
	return 0;
}

/* The hook's record in *added; wanted: what is not in the hook itself, or NULL. */
static int add(const struct cuaudit_hook *given, enum hook_owner owner, enum record_state state,
	       const struct record *wanted, struct record **added)
{
	struct cuaudit_hook hook;
	struct record *record;
	sigset_t saved, inner;
	int error = check(&hook, given);

	if (error)
		return error;
	hook_reap();
	lock_take(LOCK_SETUP, &saved);
	lock_take(LOCK_RECORDS, &inner);
	record = record_unused();
	lock_release(LOCK_RECORDS, &inner);
	if (!record) {
		error = -ENOSPC;
		goto out;
	}
	if (state == RECORD_ATTACHED)
		guard_prepare();
	record->guard.hook = hook;
	record->owner = policy && owner == HOOK_MODULE ? HOOK_POLICY : owner;
	record->module = module;
	record->fast_path = wanted ? wanted->fast_path : NULL;
	record->answered = wanted ? wanted->answered : NULL;
	record->innermost = wanted && wanted->innermost;
	error = guard_take_libraries(&record->guard);
	if (!error)
		error = record_open_selector(record);
	if (error)
		goto out;
	record_select(record, 0, cuaudit_functions());
	lock_take(LOCK_RECORDS, &inner);
	error = show(record, state);
	lock_release(LOCK_RECORDS, &inner);
	*added = record;
out:
	lock_release(LOCK_SETUP, &saved);
	return error;
}

int hook_add_core(const char *name, const char *functions, cuaudit_exit_fn exit)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = INT32_MAX, .name = name,
		.functions = functions, .exit = exit,
	};
	struct record *record;

	return add(&hook, HOOK_CORE, RECORD_ADDED, NULL, &record);
}

int hook_add_fast_path(const struct cuaudit_hook *hook, hook_fast_path_fn fast_path)
{
	const struct record wanted = { .fast_path = fast_path };
	struct record *record;

	return add(hook, HOOK_MODULE, RECORD_ADDED, &wanted, &record);
}

int hook_add_innermost(const struct cuaudit_hook *hook, hook_fast_path_fn fast_path,
		       hook_answered_fn answered)
{
	const struct record wanted = { .fast_path = fast_path, .answered = answered, .innermost = true };
	struct record *record;

	return add(hook, HOOK_MODULE, RECORD_ADDED, &wanted, &record);
}

int cuaudit_hook_add(const struct cuaudit_hook *hook)
{
	struct record *record;

	return add(hook, HOOK_MODULE, RECORD_ADDED, NULL, &record);
}

/* Handles: the generation in 24 bits above the record's number. */
static int handle_of(const struct record *record)
{
	return (int)((record->generation & 0xffffff) << 7 | record->guard.number);
}

static struct record *of_handle(int handle)
{
	struct record *record = record_get((uint32_t)handle & (RECORDS - 1));

	return handle > 0 && record->state != RECORD_UNUSED && record->state != RECORD_ADDED &&
	       handle_of(record) == handle ? record : NULL;
}

int cuaudit_hook_attach(const struct cuaudit_hook *hook)
{
	struct record *record;
	int error = add(hook, HOOK_MODULE, RECORD_ATTACHED, NULL, &record);

	return error ? error : handle_of(record);
}

int cuaudit_hook_detach(int handle)
{
	struct record *record;
	sigset_t saved;
	uint32_t ready;
	int result = -ENOENT;

	lock_take(LOCK_RECORDS, &saved);
	record = of_handle(handle);
	if (record && record->state == RECORD_ATTACHED) {
		guard_close(&record->guard);
		record_remove(record);
		ready = cuaudit_functions();
		/* A list that cannot be had leaves the guard in place, closed. */
		for (uint32_t i = 0; i < ready; i++)
			if (guard_takes(&record->guard, i))
				registry_publish(i);
		record->state = RECORD_DETACHED;
		result = 0;
	}
	lock_release(LOCK_RECORDS, &saved);
	return result;
}

static struct record *next_to_release(void)
{
	struct record *found = NULL;
	sigset_t saved;

	lock_take(LOCK_RECORDS, &saved);
	for (uint32_t i = 0; i < RECORDS && !found; i++) {
		struct record *record = record_get(i);

		if (record->state == RECORD_DETACHED && !guard_busy(&record->guard)) {
			record->state = RECORD_RELEASED;
			found = record;
		}
	}
	lock_release(LOCK_RECORDS, &saved);
	return found;
}

void hook_reap(void)
{
	struct record *record;
	sigset_t saved;

	while ((record = next_to_release())) {
		if (record->guard.hook.released)
			record->guard.hook.released(record->guard.hook.data);
		lock_take(LOCK_RECORDS, &saved);
		record->state = RECORD_UNUSED;
		lock_release(LOCK_RECORDS, &saved);
	}
}

/* What keeps a hook from being given back; 0 where nothing does. */
static int held(int handle)
{
	const struct record *record;
	sigset_t saved;
	int result = 0;

	lock_take(LOCK_RECORDS, &saved);
	record = of_handle(handle);
	if (record)
		result = record->state == RECORD_ATTACHED ? -EBUSY :
			 thread_self && thread_self->guarded[record->guard.number] ? -EDEADLK :
			 -ETIMEDOUT;
	lock_release(LOCK_RECORDS, &saved);
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
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	}
}

void hook_module(const void *owner, bool enforces)
{
	module = owner;
	policy = enforces;
}

void hook_drop(const void *owner)
{
	for (uint32_t i = 0; i < RECORDS; i++) {
		struct record *record = record_get(i);

		if (record->state == RECORD_UNUSED || record->module != owner)
			continue;
		record_remove(record);
		/* No list has it yet: another hook may have the record, though calls do not count here. */
		record->state = RECORD_UNUSED;
	}
}
