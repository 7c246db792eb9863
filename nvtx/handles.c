/* SPDX-License-Identifier: Apache-2.0 */
/* What the program is given for a domain or a text, and another tool's handles for the same. */
#include "nvtx/handles.h"

#include <stdatomic.h>

enum { SHIFT = 32, OTHERS = 1 << 18 };

/* No address of a program is such. */
#define TAG 0x63756164u

/* Handles of another tool, hashed. Never taken out: a program has few, or makes them anew and again. */
struct other {
	_Atomic uint64_t handle;	/* 0: free */
	_Atomic uint32_t index;
};

static struct other *_Atomic others;

void *handles_own(uint32_t index)
{
	return (void *)(uintptr_t)((uint64_t)TAG << SHIFT | index);
}

uint32_t handles_index(const void *own)
{
	return (uint32_t)(uintptr_t)own;
}

static uint32_t place(uint64_t handle, uint32_t i)
{
	return (uint32_t)((handle * 0x9e3779b97f4a7c15u >> 40) + i) % OTHERS;
}

enum { TRIES = 64 };

bool handles_find(const void *handle, uint32_t *index)
{
	struct other *table = atomic_load_explicit(&others, memory_order_acquire);
	uint64_t wanted = (uintptr_t)handle;

	if (wanted >> SHIFT == TAG) {
		*index = (uint32_t)wanted;
		return true;
	}
	for (uint32_t i = 0; table && i < TRIES; i++) {
		struct other *other = &table[place(wanted, i)];
		uint64_t found = atomic_load_explicit(&other->handle, memory_order_acquire);

		if (found == wanted) {
			*index = atomic_load_explicit(&other->index, memory_order_relaxed);
			return true;
		}
		if (!found)
			break;
	}
	return false;
}

void handles_put(const void *handle, uint32_t index, void *(*pages)(size_t size))
{
	struct other *table = atomic_load_explicit(&others, memory_order_acquire), *none = NULL;
	uint64_t wanted = (uintptr_t)handle;

	if (!table) {
		table = pages(OTHERS * sizeof(*table));
		/* Who comes second leaves pages that nobody has written to. */
		if (!table || !atomic_compare_exchange_strong(&others, &none, table))
			table = none;
	}
	for (uint32_t i = 0; table && i < TRIES; i++) {
		struct other *other = &table[place(wanted, i)];
		uint64_t found = 0;

		if (!atomic_compare_exchange_strong(&other->handle, &found, wanted) && found != wanted)
			continue;
		atomic_store_explicit(&other->index, index, memory_order_release);
		return;
	}
}
