/* SPDX-License-Identifier: Apache-2.0 */
/* The stat hook's records of names, of what was intercepted and what escaped. */
#include "hooks/modules/stat/stat_coverage.h"

#include <string.h>

#include "hooks/modules/stat/stat_cell.h"
#include "hooks/modules/stat/stat_store.h"

enum { LIBRARIES = 65536, DRIVERS = 128, KINDS = 256 };

static uint8_t functions_seen[CUAUDIT_SLOTS_MAX / 8];
static uint8_t libraries_seen[LIBRARIES / 8];
static struct cuaudit_stat_driver *drivers[DRIVERS];
static struct cuaudit_stat_routes *routes;
static struct cuaudit_stat_escape *escapes[KINDS];
static struct cuaudit_stat_table *tables[KINDS];

static int seen(const uint8_t *bits, uint32_t index)
{
	return bits[index / 8] >> index % 8 & 1;
}

static void mark(uint8_t *bits, uint32_t index)
{
	bits[index / 8] |= (uint8_t)(1u << index % 8);
}

/* A text's end says more than its beginning, for a path that is too long. */
static void copy_end(char *to, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		text += length - (size - 1);
	memcpy(to, text, strlen(text) + 1);
}

static void update_driver(uint32_t index)
{
	const struct cuaudit_driver *driver;

	if (index >= DRIVERS || !(driver = cuaudit_driver_get(index)))
		return;
	if (!drivers[index]) {
		drivers[index] = stat_store_take(sizeof(*drivers[index]));
		if (!drivers[index])
			return;
		drivers[index]->index = index;
		copy_end(drivers[index]->path, sizeof(drivers[index]->path), driver->path);
		stat_store_publish(drivers[index], CUAUDIT_STAT_DRIVER);
	}
	drivers[index]->version = __atomic_load_n(&driver->version, __ATOMIC_RELAXED);
	drivers[index]->functions = __atomic_load_n(&driver->functions, __ATOMIC_RELAXED);
	drivers[index]->without_slot = __atomic_load_n(&driver->without_slot, __ATOMIC_RELAXED);
}

static void update_routes(void)
{
	struct cuaudit_stat_routes sums = { .bound = 0 };
	uint32_t count = cuaudit_functions();

	if (!routes)
		routes = stat_store_take(sizeof(*routes));
	if (!routes)
		return;
	for (uint32_t slot = 0; slot < count; slot++) {
		int bound = 0;

		for (int route = 0; route < CUAUDIT_ROUTES; route++) {
			uint64_t times = cuaudit_bound(slot, (enum cuaudit_route)route);

			sums.functions[route] += times != 0;
			sums.bindings[route] += times;
			bound |= times != 0;
		}
		sums.bound += (uint64_t)bound;
	}
	memcpy(routes->functions, sums.functions, sizeof(sums.functions));
	memcpy(routes->bindings, sums.bindings, sizeof(sums.bindings));
	routes->bound = sums.bound;
	stat_store_publish(routes, CUAUDIT_STAT_ROUTES);
}

/* One that is too long keeps its beginning, and is told from others by the rest's hash. */
static void copy_name(char *to, size_t size, const char *name)
{
	enum { HASH = sizeof("~12345678") };
	size_t kept = size - HASH;
	uint32_t hash = 2166136261u;

	strncpy(to, name, size - 1);
	if (strlen(name) < size)
		return;
	for (const char *from = name + kept; *from; from++)
		hash = (hash ^ (unsigned char)*from) * 16777619u;
	to[kept++] = '~';
	for (int shift = 28; shift >= 0; shift -= 4)
		to[kept++] = "0123456789abcdef"[hash >> shift & 15];
}

void stat_coverage_function(const struct cuaudit_function *function)
{
	struct cuaudit_stat_function *record;

	if (seen(functions_seen, function->slot))
		return;
	record = stat_store_take(sizeof(*record));
	if (!record)
		return;
	record->slot = function->slot;
	record->driver = function->driver;
	copy_name(record->name, sizeof(record->name), function->name);
	stat_store_publish(record, CUAUDIT_STAT_FUNCTION);
	mark(functions_seen, function->slot);
	if (!stat_store_saved())
		return;
	/* The process may have no other time for it. */
	update_driver(function->driver);
	update_routes();
}

void stat_coverage_library(const struct cuaudit_library *library)
{
	struct cuaudit_stat_library *record;

	if (library->index >= LIBRARIES || seen(libraries_seen, library->index))
		return;
	record = stat_store_take(sizeof(*record));
	if (!record)
		return;
	record->index = library->index;
	copy_end(record->path, sizeof(record->path), library->path);
	record->build_id_size = cuaudit_library_build_id(library, record->build_id,
							 sizeof(record->build_id));
	if (record->build_id_size > sizeof(record->build_id))
		record->build_id_size = 0;
	stat_store_publish(record, CUAUDIT_STAT_LIBRARY);
	mark(libraries_seen, library->index);
}

static uint32_t library_index(const struct cuaudit_library *library)
{
	if (!library)
		return CUAUDIT_STAT_NONE;
	stat_coverage_library(library);
	return library->index;
}

static void update_escape(uint32_t index, const struct cuaudit_escape *escape)
{
	struct cuaudit_stat_escape *record = escapes[index];
	uint32_t library = library_index(escape->library);

	if (!record) {
		record = escapes[index] = stat_store_take(sizeof(*record));
		if (!record)
			return;
		record->kind = escape->kind;
		record->version = escape->version;
		record->flags = escape->flags;
		record->library = library;
		memcpy(record->name, escape->name, sizeof(escape->name));
		stat_store_publish(record, CUAUDIT_STAT_ESCAPE);
	}
	record->count = escape->count;
}

static void update_table(uint32_t index, const struct cuaudit_export_table *table)
{
	struct cuaudit_stat_table *record = tables[index];
	uint32_t library = library_index(table->library);

	if (!record) {
		record = tables[index] = stat_store_take(sizeof(*record));
		if (!record)
			return;
		record->library = library;
		record->result = table->result;
		record->size = table->size;
		memcpy(record->uuid, table->uuid, sizeof(record->uuid));
		stat_store_publish(record, CUAUDIT_STAT_TABLE);
	}
	record->count = table->count;
}

void stat_coverage_update(void)
{
	const struct cuaudit_escape *escape;
	const struct cuaudit_export_table *table;

	for (uint32_t i = 0; i < DRIVERS; i++)
		update_driver(i);
	update_routes();
	for (uint32_t i = 0; i < KINDS && (escape = cuaudit_escape_get(i)); i++)
		update_escape(i, escape);
	for (uint32_t i = 0; i < KINDS && (table = cuaudit_export_table_get(i)); i++)
		update_table(i, table);
}

void stat_coverage_forked(void)
{
	memset(functions_seen, 0, sizeof(functions_seen));
	memset(libraries_seen, 0, sizeof(libraries_seen));
	memset(drivers, 0, sizeof(drivers));
	memset(escapes, 0, sizeof(escapes));
	memset(tables, 0, sizeof(tables));
	routes = NULL;
}
