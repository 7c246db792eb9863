/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook keeps for each address and handle: a table without locks. */
/*
 * Levels of growing size, made when they are needed. In each a value may lie
 * in one group of slots only, so that looking for it reads that group in
 * every level there is, and an empty slot means nothing.
 */
#include "hooks/modules/limit/limit_table.h"

#include <stddef.h>

#include <cuaudit/hook.h>

#include "util/pages.h"

enum { LEVELS = 9, GROUP = 8, FIRST = 512 };

static const uint64_t claimed = UINT64_C(1) << 63, busy = 1;

static _Atomic(struct slot *) levels[LEVELS];

static uint64_t key_of(enum table_kind kind, uint64_t value)
{
	return (uint64_t)kind << 60 | (value & ((UINT64_C(1) << 60) - 1));
}

uint64_t table_value(const struct slot *slot)
{
	return atomic_load_explicit(&slot->key, memory_order_relaxed) &
	       ((UINT64_C(1) << 60) - 1);
}

static size_t groups_of(int level)
{
	return (size_t)FIRST << 2 * level;
}

static struct slot *group(struct slot *level, int number, uint64_t key)
{
	uint64_t hash = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);

	return level + (hash >> 32 & (groups_of(number) - 1)) * GROUP;
}

static struct slot *level_get(int number)
{
	size_t size = groups_of(number) * GROUP * sizeof(struct slot);
	/* Pairs with the exchange. */
	struct slot *level = atomic_load_explicit(&levels[number], memory_order_acquire);
	struct slot *none = NULL;

	if (level)
		return level;
	level = cuaudit_pages(size);
	if (level && !atomic_compare_exchange_strong(&levels[number], &none, level)) {
		pages_unmap(level, size);
		level = none;
	}
	return level;
}

struct slot *table_add(enum table_kind kind, uint64_t value, uint64_t charge, uint64_t owner,
		       uint32_t library)
{
	uint64_t key = key_of(kind, value);

	for (int number = 0; number < LEVELS; number++) {
		struct slot *level = level_get(number), *slot;

		if (!level)
			return NULL;
		slot = group(level, number, key);
		for (int i = 0; i < GROUP; i++, slot++) {
			uint64_t empty = 0;

			if (!atomic_compare_exchange_strong(&slot->key, &empty, busy))
				continue;
			slot->charge = charge;
			slot->library = library;
			slot->count = slot->leaving = 0;
			slot->chain = NULL;
			atomic_store_explicit(&slot->owner, owner, memory_order_relaxed);
			/* Pairs with table_find. */
			atomic_store_explicit(&slot->key, key, memory_order_release);
			return slot;
		}
	}
	return NULL;
}

struct slot *table_find(enum table_kind kind, uint64_t value)
{
	uint64_t key = key_of(kind, value);

	for (int number = 0; number < LEVELS; number++) {
		struct slot *level = atomic_load_explicit(&levels[number], memory_order_acquire);
		struct slot *slot;

		if (!level)
			return NULL;
		slot = group(level, number, key);
		for (int i = 0; i < GROUP; i++, slot++)
			if (atomic_load_explicit(&slot->key, memory_order_acquire) == key)
				return slot;
	}
	return NULL;
}

static int claim(struct slot *slot, uint64_t key)
{
	return atomic_compare_exchange_strong(&slot->key, &key, key | claimed);
}

struct slot *table_claim(enum table_kind kind, uint64_t value)
{
	struct slot *slot = table_find(kind, value);

	return slot && claim(slot, key_of(kind, value)) ? slot : NULL;
}

void table_restore(struct slot *slot)
{
	atomic_fetch_and(&slot->key, ~claimed);
}

void table_drop(struct slot *slot)
{
	/* Pairs with the exchange of table_add. */
	atomic_store_explicit(&slot->key, 0, memory_order_release);
}

static int matches(struct slot *slot, uint64_t owner)
{
	return !owner || atomic_load_explicit(&slot->owner, memory_order_relaxed) == owner;
}

struct slot *table_next(uint64_t *cursor, enum table_kind kind, uint64_t owner, int take)
{
	uint64_t at = *cursor, before = 0;

	for (int number = 0; number < LEVELS; number++) {
		uint64_t size = groups_of(number) * GROUP;
		struct slot *level = atomic_load_explicit(&levels[number], memory_order_acquire);

		if (!level)
			break;
		for (; at < size; at++) {
			struct slot *slot = level + at;
			uint64_t key = atomic_load_explicit(&slot->key, memory_order_acquire);

			if (key >> 60 != kind || !matches(slot, owner) ||
			    (take && !claim(slot, key)))
				continue;
			/* It may have become another thing since it was looked at. */
			if (take && !matches(slot, owner)) {
				table_restore(slot);
				continue;
			}
			*cursor = before + at + 1;
			return slot;
		}
		at -= size;
		before += size;
	}
	return NULL;
}

void table_forked(void)
{
	/* Whoever wrote there is no more; the pages are lost to the child. */
	for (int number = 0; number < LEVELS; number++)
		atomic_store_explicit(&levels[number], NULL, memory_order_relaxed);
}
