/* SPDX-License-Identifier: Apache-2.0 */
/* Records what escaped and what was asked for. */
#include "hooks/coverage.h"

#include <errno.h>
#include <string.h>

#include "hooks/call_site.h"
#include "hooks/core_link.h"
#include "hooks/library.h"

enum { KINDS = 256 };

_Static_assert(CUAUDIT_SLOTS_MAX == (int)LINK_SLOTS, "slots");

_Atomic uint32_t coverage_procaddr[LINK_SLOTS];

/*
 * Filled without a lock: a record is claimed, written, then shown by `ready`.
 * Two threads that see the same new thing at once may each write a record.
 */
static struct {
	_Atomic uint32_t claimed;
	_Atomic uint32_t ready[KINDS];
	struct cuaudit_escape escapes[KINDS];
	const void *callers[KINDS];
} escapes;

static struct {
	_Atomic uint32_t claimed;
	_Atomic uint32_t ready[KINDS];
	struct cuaudit_export_table tables[KINDS];
	const void *callers[KINDS];
} tables;

static struct cuaudit_driver drivers[LINK_DRIVERS + LINK_PROVIDERS];
static _Atomic uint32_t taken[LINK_ESCAPES];	/* of each of the auditor's, how many */

/* The last record of each kind is for all that found no other. */
static const char others[] = "(others)";

static bool is_ready(const _Atomic uint32_t *ready)
{
	return atomic_load_explicit(ready, memory_order_acquire);
}

static uint32_t visible(const _Atomic uint32_t *claimed)
{
	uint32_t count = atomic_load_explicit(claimed, memory_order_relaxed);

	return count < KINDS ? count : KINDS;
}

static void add_escape(enum cuaudit_escape_kind kind, const char *name, uint32_t version,
		       uint64_t flags, const struct cuaudit_library *library,
		       const void *caller, uint64_t times)
{
	struct cuaudit_escape *escape;
	uint32_t i;

	for (i = 0; i < visible(&escapes.claimed); i++) {
		escape = &escapes.escapes[i];
		if (is_ready(&escapes.ready[i]) && escape->kind == kind &&
		    escape->version == version && escape->flags == flags &&
		    escape->library == library &&
		    !strncmp(escape->name, name, sizeof(escape->name) - 1)) {
			__atomic_fetch_add(&escape->count, times, __ATOMIC_RELAXED);
			return;
		}
	}
	i = atomic_fetch_add_explicit(&escapes.claimed, 1, memory_order_relaxed);
	if (i >= KINDS - 1) {
		escape = &escapes.escapes[KINDS - 1];
		strcpy(escape->name, others);
		__atomic_fetch_add(&escape->count, times, __ATOMIC_RELAXED);
		atomic_store_explicit(&escapes.ready[KINDS - 1], 1, memory_order_release);
		return;
	}
	escape = &escapes.escapes[i];
	*escape = (struct cuaudit_escape){
		.kind = kind, .version = version, .flags = flags, .library = library, .count = times,
	};
	strncpy(escape->name, name, sizeof(escape->name) - 1);
	escapes.callers[i] = caller;
	atomic_store_explicit(&escapes.ready[i], 1, memory_order_release);
}

void coverage_escape(enum cuaudit_escape_kind kind, const char *name, uint32_t version,
		     uint64_t flags, const struct cuaudit_library *library, const void *caller)
{
	add_escape(kind, name ? name : "", version, flags, library, caller, 1);
}

/* What the auditor could not route, since the last time. */
static void take_auditors(void)
{
	struct link_table *link = cuaudit_core_link;
	uint32_t count = atomic_load_explicit(&link->nescapes, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct link_escape *from = &link->escapes[i];
		uint32_t now = atomic_load_explicit(&from->count, memory_order_relaxed);
		uint32_t before = atomic_exchange_explicit(&taken[i], now, memory_order_relaxed);

		if (now != before)
			add_escape(from->kind, from->name, 0, 0, from->object ?
				   library_of(link_object(link, from->object - 1)) : NULL,
				   NULL, now - before);
	}
}

const struct cuaudit_escape *cuaudit_escape_get(uint32_t index)
{
	if (!index)
		take_auditors();
	if (index >= visible(&escapes.claimed) || !is_ready(&escapes.ready[index]))
		return NULL;
	return &escapes.escapes[index];
}

void coverage_table(const uint8_t *uuid, uint64_t size, int32_t result,
		    const struct cuaudit_library *library, const void *caller)
{
	struct cuaudit_export_table *table;
	uint32_t i;

	for (i = 0; i < visible(&tables.claimed); i++) {
		table = &tables.tables[i];
		if (is_ready(&tables.ready[i]) && !memcmp(table->uuid, uuid, 16) &&
		    table->library == library && table->result == result) {
			__atomic_fetch_add(&table->count, 1, __ATOMIC_RELAXED);
			return;
		}
	}
	i = atomic_fetch_add_explicit(&tables.claimed, 1, memory_order_relaxed);
	if (i >= KINDS - 1) {
		__atomic_fetch_add(&tables.tables[KINDS - 1].count, 1, __ATOMIC_RELAXED);
		atomic_store_explicit(&tables.ready[KINDS - 1], 1, memory_order_release);
		return;
	}
	table = &tables.tables[i];
	memcpy(table->uuid, uuid, 16);
	table->size = size;
	table->result = result;
	table->library = library;
	tables.callers[i] = caller;
	table->count = 1;
	atomic_store_explicit(&tables.ready[i], 1, memory_order_release);
}

const struct cuaudit_export_table *cuaudit_export_table_get(uint32_t index)
{
	if (index >= visible(&tables.claimed) || !is_ready(&tables.ready[index]))
		return NULL;
	return &tables.tables[index];
}

/* Several threads may, and others read it. */
static void set(uint32_t *number, uint32_t value)
{
	__atomic_store_n(number, value, __ATOMIC_RELAXED);
}

void coverage_version(uint32_t driver, uint32_t version)
{
	set(&drivers[driver].version, version);
}

static bool is_driver(uint32_t index)
{
	const struct link_table *link = cuaudit_core_link;

	return link_is_provider(index) ?
		       index - LINK_DRIVERS < atomic_load_explicit(&link->nproviders, memory_order_acquire) :
		       index < atomic_load_explicit(&link->ndrivers, memory_order_acquire);
}

const struct cuaudit_driver *cuaudit_driver_get(uint32_t index)
{
	const struct link_driver *from = &cuaudit_core_link->drivers[index];

	if (!is_driver(index))
		return NULL;
	__atomic_store_n(&drivers[index].path, from->path, __ATOMIC_RELAXED);
	set(&drivers[index].index, index);
	set(&drivers[index].functions, from->nfunctions);
	set(&drivers[index].without_slot, from->without_slot);
	return &drivers[index];
}

int cuaudit_binding_get(uint32_t index, struct cuaudit_binding *binding)
{
	const struct link_binding *from = &cuaudit_core_link->bindings[index];
	uint32_t low, object;
	uint64_t key;

	if (index >= LINK_BINDINGS)
		return -ENOENT;
	key = atomic_load_explicit(&from->key, memory_order_relaxed);
	if (!key)
		return 0;
	low = (uint32_t)key - 1;
	object = (uint32_t)(key >> 32);
	binding->library = library_of(link_object(cuaudit_core_link, object));
	binding->slot = low / 8;
	binding->route = low % LINK_REAL;
	binding->real = low & LINK_REAL;
	binding->count = atomic_load_explicit(&from->count, memory_order_relaxed);
	return 1;
}

uint64_t cuaudit_bindings_lost(void)
{
	return atomic_load_explicit(&cuaudit_core_link->lost_bindings, memory_order_relaxed);
}

uint64_t cuaudit_bound(uint32_t slot, enum cuaudit_route route)
{
	const struct link_slot *from;

	if (slot >= cuaudit_functions())
		return 0;
	from = &cuaudit_core_link->slots[slot];
	switch (route) {
	case CUAUDIT_ROUTE_PLT:
		return atomic_load_explicit(&from->plt, memory_order_relaxed);
	case CUAUDIT_ROUTE_DLSYM:
		return atomic_load_explicit(&from->dlsym, memory_order_relaxed);
	case CUAUDIT_ROUTE_RELOCATION:
		return atomic_load_explicit(&from->relocation, memory_order_relaxed);
	case CUAUDIT_ROUTE_PROCADDR:
		return atomic_load_explicit(&coverage_procaddr[slot],
					    memory_order_relaxed);
	case CUAUDIT_ROUTES:
		break;
	}
	return 0;
}

void coverage_forked(void)
{
	uint32_t count = cuaudit_functions();

	memset(&escapes, 0, sizeof(escapes));
	memset(&taken, 0, sizeof(taken));
	memset(&tables, 0, sizeof(tables));
	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit(&coverage_procaddr[i], 0, memory_order_relaxed);
}

const void *call_site_escape(const struct cuaudit_escape *escape)
{
	return escapes.callers[escape - escapes.escapes];
}

const void *call_site_table(const struct cuaudit_export_table *table)
{
	return tables.callers[table - tables.tables];
}
