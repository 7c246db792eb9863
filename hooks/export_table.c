/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's export tables: their functions' addresses are replaced in place by stubs. */
#include "hooks/export_table.h"

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/entry.h"
#include "hooks/export_slot.h"
#include "hooks/library.h"
#include "hooks/lock.h"
#include "hooks/maps.h"
#include "hooks/page_write.h"
#include "hooks/registry.h"

enum { LEAST = 2 };	/* words: the size, and a function */

/* Under the lock: stacks may be small. */
static uint64_t from[EXPORT_WORDS], to[EXPORT_WORDS];
static struct maps_line code;	/* the line of the last function */

static _Atomic bool finished;

static uint64_t stub_of(uint32_t slot)
{
	return (uintptr_t)cuaudit_core_link->stubs + (uint64_t)slot * cuaudit_core_link->stub_size;
}

/* Whether it is a function of the driver, or of a library of its own: others have put theirs there. */
static bool is_function(uint64_t address)
{
	const struct link_object *object = library_object(address);

	if (!object || !(object->flags & (LINK_OBJECT_DRIVER | LINK_OBJECT_DRIVER_PRIVATE)))
		return false;
	if (address - code.bounds[0] >= code.bounds[1] - code.bounds[0] && !maps_find(address, &code)) {
		code = (struct maps_line){ .field = 0 };
		return false;
	}
	return code.protection & PROT_EXEC;
}

/* How many words there are to be looked at; 0: nobody knows. */
static uint32_t count_words(const struct export_row *row, uint64_t size)
{
	if (row && row->kind == EXPORT_UNSIZED)
		return row->words;
	if (size % sizeof(uint64_t) || size / sizeof(uint64_t) < LEAST ||
	    size / sizeof(uint64_t) >= EXPORT_WORDS)
		return 0;
	return (uint32_t)(size / sizeof(uint64_t));
}

/* Where a slot's stub leads to; whether that is new. */
static bool set_real(uint32_t slot, uint64_t function)
{
	void *real = (void *)(uintptr_t)function;

	atomic_store_explicit(&cuaudit_core_link->slots[slot].real, real, memory_order_relaxed);
	/* Pairs with route of registry.c. A child of fork may have been left without the route. */
	return atomic_exchange(&entry_table[slot].real, real) != real ||
	       !atomic_load(&cuaudit_core_link->routes[slot]);
}

/* Under the lock. Why it cannot be, or NULL. */
static const char *take(const uint8_t *uuid, uint64_t *table, uint32_t words, uint32_t driver)
{
	struct export_block *block;
	bool fresh = false;

	if (!page_read(table, from, words * sizeof(*from)))
		return "it cannot be read";
	block = export_slot_take(uuid, table, words, driver);
	if (!block)
		return "no more functions fit";
	code = (struct maps_line){ .field = 0 };
	for (uint32_t i = 0; i < words; i++) {
		to[i] = from[i];
		if (!is_function(from[i]))
			continue;
		fresh |= set_real(block->first + i, from[i]);
		to[i] = stub_of(block->first + i);
	}
	/* Before a stub can be called. */
	if (fresh)
		registry_attach_slots(block->first, block->first + block->words);
	return page_write(table, from, to, words) ? NULL :
	       "it is in executable memory, mprotect(2) is refused, or the program changes its protection";
}

static _Atomic bool unseen;

bool export_table_unseen(void)
{
	return atomic_load_explicit(&unseen, memory_order_relaxed);
}

/* Once for each reason: programs ask again and again. */
static void report(const uint8_t *uuid, const char *why)
{
	static _Atomic(const char *) reported[8];
	const char *none;

	atomic_store_explicit(&unseen, true, memory_order_relaxed);
	for (size_t i = 0; i < sizeof(reported) / sizeof(reported[0]); i++) {
		none = NULL;
		if (atomic_compare_exchange_strong(&reported[i], &none, why)) {
			cuaudit_log(CUAUDIT_WARN, "calls through the driver's export table "
				    "%02x%02x%02x%02x, and others that are so, are not seen: %s",
				    uuid[0], uuid[1], uuid[2], uuid[3], why);
			return;
		}
		if (none == why)
			return;
	}
}

void export_table_answered(const uint8_t *uuid, uint64_t *table, uint32_t driver)
{
	const struct export_row *row = export_slot_row(uuid);
	const char *why = NULL;
	uint64_t size;
	uint32_t words;
	sigset_t saved;

	if (!domain_is_on(DOMAIN_TABLES) || atomic_load_explicit(&finished, memory_order_relaxed) ||
	    (row && row->kind == EXPORT_INTEGRITY) || !export_slot_block(0))
		return;
	words = page_read(table, &size, sizeof(size)) ? count_words(row, size) : 0;
	if (!words) {
		report(uuid, "it does not begin with its size");
		return;
	}
	lock_take(LOCK_TABLES, &saved);
	why = take(uuid, table, words, driver);
	lock_release(LOCK_TABLES, &saved);
	if (why)
		report(uuid, why);
}

void export_table_finish(void)
{
	struct export_block *block;
	sigset_t saved;

	atomic_store_explicit(&finished, true, memory_order_relaxed);
	lock_take(LOCK_TABLES, &saved);
	for (uint32_t i = 0; (block = export_slot_block(i)); i++) {
		/* The driver may be unloaded, or another tool be in our place. */
		if (!block->at ||
		    !page_read(block->at, from, block->live * sizeof(*from)))
			continue;
		for (uint32_t k = 0; k < block->live; k++) {
			to[k] = from[k];
			if (from[k] == stub_of(block->first + k))
				to[k] = (uintptr_t)atomic_load_explicit(&entry_table[block->first + k].real,
									memory_order_relaxed);
		}
		page_write(block->at, from, to, block->live);
	}
	lock_release(LOCK_TABLES, &saved);
}
