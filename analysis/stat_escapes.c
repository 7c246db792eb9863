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
	const struct report_escape *x = left, *y = right;
	const struct cuaudit_stat_escape *a = x->record, *b = y->record;

	return strcmp(a->name, b->name) ?: ORDER(a->version, b->version) ?:
	       ORDER(a->flags, b->flags) ?: ORDER(a->kind, b->kind) ?:
	       compare_paths(x->library, y->library);
}

static int by_uuid(const void *left, const void *right)
{
	const struct report_table *x = left, *y = right;
	const struct cuaudit_stat_table *a = x->record, *b = y->record;

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
		    report->drivers[i]->unrouted == driver->unrouted)
			return;
	report->drivers[report->ndrivers++] = driver;
}

/* Adds up equal neighbours. */
static void unite(struct report *report)
{
	size_t n = 0;

	sort(report->escapes, report->nescapes, sizeof(*report->escapes), by_escape);
	for (size_t i = 0; i < report->nescapes; i++)
		if (n && !by_escape(&report->escapes[n - 1], &report->escapes[i]))
			report->escapes[n - 1].count += report->escapes[i].count;
		else
			report->escapes[n++] = report->escapes[i];
	report->nescapes = n;
	sort(report->tables, report->ntables, sizeof(*report->tables), by_uuid);
	n = 0;
	for (size_t i = 0; i < report->ntables; i++)
		if (n && !by_uuid(&report->tables[n - 1], &report->tables[i]))
			report->tables[n - 1].count += report->tables[i].count;
		else
			report->tables[n++] = report->tables[i];
	report->ntables = n;
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

			report->escapes[report->nescapes++] = (struct report_escape){
				record, part_path(part, record->library), record->count
			};
		}
		for (size_t j = 0; j < part->tables.count; j++) {
			const struct cuaudit_stat_table *record = part->tables.records[j];

			report->tables[report->ntables++] = (struct report_table){
				record, part_path(part, record->library), record->count
			};
		}
	}
	unite(report);
	return 0;
}
