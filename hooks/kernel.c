/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels, by their handles, as the driver hands these out. */
#include "hooks/kernel.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/args.h>
#include <cuaudit/hook.h>

#include "hooks/driver_ask.h"
#include "hooks/hook.h"
#include "hooks/kernel_text.h"
#include "hooks/lock.h"

#include "hooks/kernels.def"

_Atomic uint32_t kernel_epoch;

/*
 * By handle, in two words: which, and the number of its name, what it was handed out as, and
 * whether it was looked for in vain. Readers take no lock: a table that is replaced stays.
 */
enum {
	FIRST = 1024,		/* entries, a power of two */
	MOST = 1 << 20,
	IN_VAIN = 1 << 2,
	KIND = 3,
	NAME = 32		/* bits below the name's number */
};

struct entry {
	_Atomic uint64_t handle;	/* 0: free */
	_Atomic uint64_t value;
};

struct table {
	uint32_t size, used;
	struct entry entries[];
};

static struct table *_Atomic table;
static bool prepared;

static struct entry *find(struct table *in, uint64_t handle)
{
	uint32_t at = (uint32_t)(handle * 0x9e3779b97f4a7c15u >> 32);

	for (;; at++) {
		struct entry *entry = &in->entries[at & (in->size - 1)];
		/* Pairs with put: the value is there with the handle. */
		uint64_t other = atomic_load_explicit(&entry->handle, memory_order_acquire);

		if (!other || other == handle)
			return entry;
	}
}

/* 0 of a handle that has no entry. */
static uint64_t get(uint64_t handle)
{
	struct table *in = atomic_load_explicit(&table, memory_order_acquire);

	/* Pairs with put: the text is there with its number. */
	return in ? atomic_load_explicit(&find(in, handle)->value, memory_order_acquire) : 0;
}

/* The rest under the lock. */

static struct table *grow(void)
{
	struct table *old = atomic_load_explicit(&table, memory_order_relaxed), *larger;
	uint32_t size = old ? 2 * old->size : FIRST;

	if (size > MOST)
		return NULL;
	larger = cuaudit_pages(sizeof(*larger) + size * sizeof(struct entry));
	if (!larger)
		return NULL;
	larger->size = size;
	for (uint32_t i = 0; old && i < old->size; i++) {
		uint64_t handle = atomic_load_explicit(&old->entries[i].handle, memory_order_relaxed);
		struct entry *entry;

		if (!handle)
			continue;
		entry = find(larger, handle);
		entry->value = old->entries[i].value;
		entry->handle = handle;
		larger->used++;
	}
	atomic_store_explicit(&table, larger, memory_order_release);
	return larger;
}

/* What there is no room for stays unknown. */
static bool put(uint64_t handle, uint64_t value)
{
	struct table *in = atomic_load_explicit(&table, memory_order_relaxed);
	struct entry *entry;

	if (!in || in->used >= in->size / 4 * 3)
		in = grow() ?: in;
	if (!in)
		return false;
	entry = find(in, handle);
	if (!entry->handle && in->used >= in->size / 8 * 7)
		return false;
	in->used += !entry->handle;
	atomic_store_explicit(&entry->value, value, memory_order_release);
	atomic_store_explicit(&entry->handle, handle, memory_order_release);
	return true;
}

static void changed(void)
{
	atomic_fetch_add_explicit(&kernel_epoch, 1, memory_order_relaxed);
}

static struct kernel of(uint64_t value)
{
	return (struct kernel){ kernel_text((uint32_t)(value >> NAME)), (enum kernel_kind)(value & KIND),
				true };
}

struct kernel kernel_of(uint64_t handle)
{
	struct kernel kernel = { .name = NULL };
	uint64_t value = prepared && handle ? get(handle) : 0;
	sigset_t saved;

	if (value)
		return of(value);
	if (!prepared || !handle)
		return kernel;
	lock_take(LOCK_KERNELS, &saved);
	/* It may have been handed out meanwhile. */
	value = get(handle);
	if (!value)
		kernel.settled = put(handle, IN_VAIN);
	lock_release(LOCK_KERNELS, &saved);
	return value ? of(value) : kernel;
}

/* name: NULL: not known. Those who cannot tell from the handle that it is another's are told. */
static void handed_out(uint64_t handle, const char *name, enum kernel_kind kind)
{
	uint64_t old, value;
	sigset_t saved;

	if (!handle)
		return;
	lock_take(LOCK_KERNELS, &saved);
	old = get(handle);
	value = (uint64_t)(name ? kernel_text_number(name) : 0) << NAME | kind;
	if (old != value && put(handle, value) && old)
		changed();
	lock_release(LOCK_KERNELS, &saved);
}

/* As the driver says: of a handle it has handed out just now. */
static void handed_out_nameless(uint64_t handle, enum kernel_kind kind)
{
	CUfunction function = (CUfunction)(uintptr_t)handle;
	CUkernel kernel = (CUkernel)(uintptr_t)handle;
	const char *name = NULL;

	/* Without the lock: the driver has its own. */
	if (handle && (kind == KERNEL_KERNEL ? ask(kernel_name, &name, kernel) :
					       ask(function_name, &name, function)))
		name = NULL;
	handed_out(handle, name, kind);
}

static void one(uint64_t handle, uint64_t other, const char *name, enum kernel_kind kind)
{
	if (!name && other)
		name = kernel_of(other).name;
	if (name)
		handed_out(handle, name, kind);
	else
		handed_out_nameless(handle, kind);
}

static void on_exit(struct cuaudit_call *call, void *data)
{
	unsigned int count = 0;
	int error = errno;

	(void)data;
	if (!cuaudit_call_succeeded(call))
		return;
	switch (call->function->id) {
#define ARGS(symbol) __typeof__(CUAUDIT_ARGS(call, symbol)) args = CUAUDIT_ARGS(call, symbol)
#define ONE(symbol, handle, kernel, name, as) \
	case CUAUDIT_ID_##symbol: { \
		ARGS(symbol); \
		if (args->handle) \
			one((uintptr_t)*args->handle, (uintptr_t)(kernel), name, KERNEL_##as); \
		break; \
	}
/* The driver writes as many as there are, and the program's array may have room for these alone. */
#define SOME(symbol, handles, room, of, number, as) \
	case CUAUDIT_ID_##symbol: { \
		ARGS(symbol); \
		if (!args->handles || ask(number, &count, args->of)) \
			break; \
		if (count > args->room) \
			count = args->room; \
		for (uint32_t i = 0; i < count; i++) \
			handed_out_nameless((uintptr_t)args->handles[i], KERNEL_##as); \
		break; \
	}
#include "hooks/kernels.def"
	default:
		changed();
	}
	errno = error;
}

bool kernel_is_prepared(void)
{
	return prepared;
}

int cuaudit_kernel_prepare(void)
{
	static const char functions[] =
#define ONE(symbol, handle, kernel, name, as) "=" #symbol ","
#define SOME(symbol, handles, room, of, number, as) "=" #symbol ","
#define FORGET(symbol) "=" #symbol ","
#include "hooks/kernels.def"
		"";
	int error = prepared ? 0 : hook_add_core("kernels", functions, on_exit);

	prepared |= !error;
	return error;
}
