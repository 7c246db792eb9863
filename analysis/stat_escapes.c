/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a report bound, what escaped them, and of which drivers. */
#include "analysis/stat_escapes.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <string.h>

#include "util/sort.h"

static int compare_paths(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_escape(const void *left, const void *right)
{
	const struct report_found *x = left, *y = right;
	const struct cuaudit_stat_escape *a = x->escape, *b = y->escape;

	return strcmp(a->name, b->name) ?: ORDER(a->version, b->version) ?:
	       ORDER(a->flags, b->flags) ?: ORDER(a->kind, b->kind) ?:
	       compare_paths(x->library, y->library);
}

static int by_uuid(const void *left, const void *right)
{
	const struct report_found *x = left, *y = right;
	const struct cuaudit_stat_table *a = x->table, *b = y->table;

	return memcmp(a->uuid, b->uuid, sizeof(a->uuid)) ?:
	       ORDER((uint32_t)a->result, (uint32_t)b->result) ?:
	       compare_paths(x->library, y->library);
}

/* Of one process the functions by route, of several only the bindings. */
static int add_routes(struct report *report, const struct part *part)
{
	const struct cuaudit_stat_routes *routes;
	struct cuaudit_stat_routes *sum = report->routes;

	if (!part->routes.count)
		return 0;
	routes = part->routes.records[part->routes.count - 1];
	if (!sum) {
		sum = report->routes = arena_take(&report->memory, 1, sizeof(*sum));
		if (!sum)
			return -ENOMEM;
		*sum = *routes;
		return 0;
	}
	for (int i = 0; i < CUAUDIT_ROUTES; i++)
		sum->bindings[i] += routes->bindings[i];
	return 0;
}

static void add_driver(struct report *report, const struct cuaudit_stat_driver *driver)
{
	for (size_t i = 0; i < report->ndrivers; i++)
		if (!strcmp(report->drivers[i]->path, driver->path) &&
		    report->drivers[i]->version == driver->version &&
		    report->drivers[i]->functions == driver->functions &&
		    report->drivers[i]->without_slot == driver->without_slot)
			return;
	report->drivers[report->ndrivers++] = driver;
}

/* Sorts, and adds up equal ones; how many are left. */
static size_t unite(struct report_found *rows, size_t count, sort_compare_fn compare)
{
	size_t n = 0;

	sort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++)
		if (n && !compare(&rows[n - 1], &rows[i]))
			rows[n - 1].count += rows[i].count;
		else
			rows[n++] = rows[i];
	return n;
}

int escapes_fill(struct report *report, const struct part *parts, size_t nparts)
{
	size_t drivers = 0, escapes = 0, tables = 0;

	for (size_t i = 0; i < nparts; i++) {
		drivers += parts[i].drivers.count;
		escapes += parts[i].escapes.count;
		tables += parts[i].tables.count;
		if (add_routes(report, &parts[i]))
			return -ENOMEM;
	}
	report->drivers = arena_take(&report->memory, drivers, sizeof(*report->drivers));
	report->escapes = arena_take(&report->memory, escapes, sizeof(*report->escapes));
	report->tables = arena_take(&report->memory, tables, sizeof(*report->tables));
	if (!report->drivers || !report->escapes || !report->tables)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++) {
		const struct part *part = &parts[i];

		for (size_t j = 0; j < part->drivers.count; j++)
			add_driver(report, part->drivers.records[j]);
		for (size_t j = 0; j < part->escapes.count; j++) {
			const struct cuaudit_stat_escape *record = part->escapes.records[j];

			report->escapes[report->nescapes++] = (struct report_found){
				.escape = record, .library = part_path(part, record->library),
				.count = record->count
			};
		}
		for (size_t j = 0; j < part->tables.count; j++) {
			const struct cuaudit_stat_table *record = part->tables.records[j];

			report->tables[report->ntables++] = (struct report_found){
				.table = record, .library = part_path(part, record->library),
				.count = record->count
			};
		}
	}
	report->nescapes = unite(report->escapes, report->nescapes, by_escape);
	report->ntables = unite(report->tables, report->ntables, by_uuid);
	return 0;
}
