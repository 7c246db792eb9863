/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions as the core knows them, a slot each. */
#include "hooks/entry.h"

#include <cuaudit/api.h>
#include <cuaudit/coverage.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/export_slot.h"
#include "hooks/runtime_row.h"
#include "hooks/thread.h"
#include "hooks/provider_types.h"
#include "util/selector.h"

struct entry entry_table[LINK_SLOTS] __attribute__((aligned(64)));

static _Atomic uint32_t nready;			/* slots with a function */

uint32_t cuaudit_functions(void)
{
	return atomic_load_explicit(&nready, memory_order_acquire);
}

const struct cuaudit_function *cuaudit_function_get(uint32_t slot)
{
	return slot < cuaudit_functions() ? &entry_table[slot].function : NULL;
}

/* The function of that name, as the table has it; returns whether it does. */
static bool named(const char *name, struct cuaudit_function *function)
{
	int id = layout_find(name);

	if (strchr(name, ':'))
		id = CUAUDIT_ID_PROVIDER;
	if (id >= 0)
		cuaudit_row_get((uint32_t)id, function);
	else
		*function = (struct cuaudit_function){ .base = name, .id = id };
	function->name = name;
	return id >= 0;
}

/* The next of the further names of a slot from alias on, or NULL. */
static const struct link_alias *next_alias(const struct link_alias *alias, uint32_t slot)
{
	while (alias && atomic_load_explicit(&alias->slot, memory_order_relaxed) != slot)
		alias = alias->next;
	return alias;
}

/* Pairs with record_alias. */
static const struct link_alias *first_alias(uint32_t slot)
{
	return next_alias(atomic_load_explicit(&cuaudit_core_link->aliases, memory_order_acquire),
			  slot);
}

bool entry_takes(const struct selector *selector, uint32_t slot)
{
	int32_t last = selector_last(selector, &entry_table[slot].function), other;
	struct cuaudit_function function;

	for (const struct link_alias *alias = first_alias(slot); alias;
	     alias = next_alias(alias->next, slot)) {
		named(alias->name, &function);
		other = selector_last(selector, &function);
		last = other > last ? other : last;
	}
	return selector_decides(selector, last);
}

/*
 * Slots with names of several prototypes: the trampolines pass on whatever there is. A hook may go while
 * slots beside are described.
 */
static _Atomic uint64_t mixed[LINK_SLOTS / 64];

bool entry_mixed(const struct entry *entry)
{
	uint32_t slot = (uint32_t)(entry - entry_table);

	return atomic_load_explicit(&mixed[slot / 64], memory_order_relaxed) >> slot % 64 & 1;
}

/* Whether a name has another prototype than the function, or none that is known. */
static bool differs(const char *name, const struct cuaudit_function *function)
{
	struct cuaudit_function other;

	return named(name, &other) != (function->id >= 0) ||
	       (function->id >= 0 && !layout_same(layout_row((uint32_t)other.id),
						  layout_row((uint32_t)function->id)));
}

static void describe_runtime(uint32_t slot, const struct runtime_row *row)
{
	const char *name = runtime_row_name(row);

	entry_table[slot].function = (struct cuaudit_function){
		.name = name, .base = name, .id = CUAUDIT_ID_RUNTIME, .slot = slot,
		.nparams = row->nparams,
	};
}

static void describe_export(uint32_t slot)
{
	const struct link_slot *from = &cuaudit_core_link->slots[slot];
	struct entry *entry = &entry_table[slot];

	/* Calls of it may be under way. */
	if (entry->function.name == from->name && entry->function.driver == from->driver)
		return;
	entry->function = (struct cuaudit_function){
		.name = from->name, .base = export_slot_base(slot),
		.id = CUAUDIT_ID_TABLES, .slot = slot, .driver = from->driver,
	};
	entry->self = thread_self_offset();
}

/* Its words are registers and stack, whatever its name is. */
static void describe_provided(uint32_t slot, const struct link_slot *from)
{
	const struct runtime_row *row = runtime_row_bind(slot, from->name);
	const struct link_alias *alias = first_alias(slot);

	entry_table[slot].self = thread_self_offset();
	if (row) {
		describe_runtime(slot, row);
		entry_table[slot].function.base = from->name;
		entry_table[slot].function.driver = from->driver;
		return;
	}
	entry_table[slot].function = (struct cuaudit_function){
		.name = from->name, .base = alias ? alias->name : from->name,
		.id = CUAUDIT_ID_PROVIDER, .slot = slot,
		.driver = from->driver,
	};
	provider_types_describe(slot, from->name);
	for (; alias; alias = next_alias(alias->next, slot))
		provider_types_describe(slot, alias->name);
	entry_table[slot].function.nparams = provider_types_count(&entry_table[slot].function);
}

void entry_describe(uint32_t slot)
{
	const struct runtime_row *row = runtime_row_of_slot(slot);
	const struct link_slot *from = &cuaudit_core_link->slots[slot];
	const struct link_alias *alias = first_alias(slot);
	struct entry *entry = &entry_table[slot];
	bool differing;

	if (row) {
		describe_runtime(slot, row);
		return;
	}
	if (export_slot_is(slot)) {
		describe_export(slot);
		return;
	}
	if (link_is_provider(from->driver)) {
		describe_provided(slot, from);
		return;
	}
	if (!named(from->name, &entry->function)) {
		while (alias && !named(alias->name, &entry->function))
			alias = next_alias(alias->next, slot);
		if (!alias)
			named(from->name, &entry->function);
	}
	differing = differs(from->name, &entry->function);
	for (alias = first_alias(slot); alias; alias = next_alias(alias->next, slot))
		differing |= differs(alias->name, &entry->function);
	if (differing)
		atomic_fetch_or_explicit(&mixed[slot / 64], (uint64_t)1 << slot % 64,
					 memory_order_relaxed);
	entry->function.slot = slot;
	entry->function.driver = from->driver;
	entry->self = thread_self_offset();
}

void entry_set_ready(uint32_t count)
{
	/* Pairs with cuaudit_functions. */
	atomic_store_explicit(&nready, count, memory_order_release);
}

void entry_setup(void)
{
	struct link_table *link = cuaudit_core_link;
	uint64_t signals = link->lock_slots();
	uint32_t count, generation;

	/* The auditor fills in what is new from here on. */
	link->mirror = &entry_table[0].real;
	link->mirror_generation = &entry_table[0].generation;
	link->mirror_stride = sizeof(entry_table[0]);
	count = atomic_load_explicit(&link->nslots, memory_order_acquire);
	generation = atomic_load_explicit(&link->generation, memory_order_acquire);
	for (uint32_t i = 0; i < count; i++) {
		atomic_store_explicit(&entry_table[i].generation, generation,
				      memory_order_relaxed);
		atomic_store_explicit(&entry_table[i].real,
				      atomic_load_explicit(&link->slots[i].real,
							   memory_order_relaxed),
				      memory_order_relaxed);
	}
	link->unlock_slots(signals);
}
