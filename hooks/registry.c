/* SPDX-License-Identifier: Apache-2.0 */
/* Which hooks each routed function has. */
#include "hooks/registry.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "arch.h"
#include "hooks/core.h"
#include "hooks/dispatch.h"
#include "hooks/layout.h"
#include "hooks/selector.h"

enum { MAX_HOOKS = 64 };

struct entry registry_entries[LINK_SLOTS] __attribute__((aligned(64)));

static struct {
	struct cuaudit_hook hook;
	enum registry_owner owner;
} hooks[MAX_HOOKS];	/* by priority, then by time */
static uint32_t nhooks;
static _Atomic uint32_t nready;	/* slots with a function */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t cuaudit_functions(void)
{
	return atomic_load_explicit(&nready, memory_order_acquire);
}

const struct cuaudit_function *cuaudit_function_get(uint32_t slot)
{
	return slot < cuaudit_functions() ? &registry_entries[slot].function : NULL;
}

static void describe(uint32_t slot)
{
	const struct link_slot *from = &cuaudit_core_link->slots[slot];
	struct entry *entry = &registry_entries[slot];
	int id = layout_find(from->name);

	entry->function = (struct cuaudit_function){
		.name = from->name,
		.base = from->name,
		.id = id,
		.slot = slot,
		.driver = from->driver,
	};
	if (id < 0)
		return;
	entry->row = layout_row((uint32_t)id);
	entry->function.base = entry->row->base;
	entry->function.version = entry->row->version;
	entry->function.classes = entry->row->classes;
	entry->function.nparams = entry->row->nparams;
}

static bool wanted(uint32_t i, const struct cuaudit_function *function)
{
	const struct cuaudit_hook *hook = &hooks[i].hook;

	if (hooks[i].owner == REGISTRY_MODULE &&
	    !selector_matches(cuaudit_core_link->environment.functions, function))
		return false;
	return selector_matches(hook->functions ? hook->functions : "", function);
}

/* Lists come out of pages that are never freed: a call may still read them. */
static struct hook_list *new_list(uint32_t count)
{
	enum { POOL = 64 * 1024 };
	static char *pool;
	static size_t left;
	size_t size = sizeof(struct hook_list) + count * sizeof(struct hook_entry);
	struct hook_list *list;

	if (size > left) {
		pool = cuaudit_pages(POOL);
		left = pool ? POOL : 0;
		if (!pool)
			return NULL;
	}
	list = (struct hook_list *)pool;
	pool += size;
	left -= size;
	return list;
}

static int set_hooks(uint32_t slot)
{
	struct entry *entry = &registry_entries[slot];
	struct hook_list *list;
	uint32_t chosen[CUAUDIT_HOOKS_MAX], count = 0, flags = 0;

	for (uint32_t i = 0; i < nhooks; i++) {
		if (!wanted(i, &entry->function))
			continue;
		if (count == CUAUDIT_HOOKS_MAX)
			return -ENOSPC;
		chosen[count++] = i;
	}
	list = count ? new_list(count) : NULL;
	if (count && !list)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct cuaudit_hook *hook = &hooks[chosen[i]].hook;

		list->hooks[i] = (struct hook_entry){ hook->enter, hook->exit, hook->data };
		flags |= hook->flags;
	}
	if (list) {
		list->count = count;
		list->stack_words = entry->row ? layout_stack_words(entry->row) : 0;
		dispatch_prepare(list, entry, flags & CUAUDIT_HOOK_TIMED);
	}
	/* Pairs with the dispatch functions. */
	atomic_store_explicit(&entry->list, list, memory_order_release);
	return 0;
}

static void *trampoline(const struct entry *entry)
{
	if (!entry->row || registry_irregular(entry))
		return (void *)trampoline_full;
	if (layout_stack_words(entry->row))
		return (void *)trampoline_stack;
	return entry->row->nparams > 2 ? (void *)trampoline_registers : (void *)trampoline_two;
}

static void route(uint32_t slot)
{
	const struct entry *entry = &registry_entries[slot];
	void *real = atomic_load_explicit(&entry->real, memory_order_relaxed);

	/* Pairs with the jump of the stub: the list is there before the trampoline. */
	atomic_store_explicit(&cuaudit_core_link->routes[slot],
			      atomic_load_explicit(&entry->list, memory_order_relaxed)
				      ? trampoline(entry) : real,
			      memory_order_release);
}

void registry_setup(void)
{
	struct link_table *link = cuaudit_core_link;
	uint32_t count;

	/* The auditor fills in what is new from here on, under the lock we run under. */
	link->mirror = &registry_entries[0].real;
	link->mirror_stride = sizeof(registry_entries[0]);
	count = atomic_load_explicit(&link->nslots, memory_order_acquire);
	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit(&registry_entries[i].real,
				      atomic_load_explicit(&link->slots[i].real,
							   memory_order_relaxed),
				      memory_order_relaxed);
}

void registry_attach(void)
{
	uint32_t count, unfit = 0;

	pthread_mutex_lock(&lock);
	count = atomic_load_explicit(&cuaudit_core_link->nslots, memory_order_acquire);
	for (uint32_t i = atomic_load_explicit(&nready, memory_order_relaxed); i < count; i++) {
		describe(i);
		if (set_hooks(i))
			unfit++;
		/* Pairs with cuaudit_functions. */
		atomic_store_explicit(&nready, i + 1, memory_order_release);
		route(i);
	}
	pthread_mutex_unlock(&lock);
	if (unfit)
		cuaudit_log(CUAUDIT_WARN, "%u functions have not all of their hooks: "
			    "too many, or no memory", unfit);
}

int registry_add(const struct cuaudit_hook *hook, enum registry_owner owner)
{
	uint32_t at, ready;
	size_t length;
	int result = 0;

	if (hook->size < sizeof(*hook) || (!hook->enter && !hook->exit) ||
	    (hook->functions && selector_fault(hook->functions, &length)))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if (nhooks == MAX_HOOKS) {
		pthread_mutex_unlock(&lock);
		return -ENOSPC;
	}
	for (at = nhooks; at && hooks[at - 1].hook.priority > hook->priority; at--)
		hooks[at] = hooks[at - 1];
	hooks[at].hook = *hook;
	hooks[at].owner = owner;
	nhooks++;
	ready = atomic_load_explicit(&nready, memory_order_relaxed);
	for (uint32_t i = 0; i < ready; i++) {
		int error = set_hooks(i);

		if (error)
			result = error;
		else
			route(i);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int cuaudit_hook_add(const struct cuaudit_hook *hook)
{
	return registry_add(hook, REGISTRY_MODULE);
}

void registry_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
