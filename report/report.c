/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of one process say, ready to be printed. */
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "report/sort.h"

/* A cell with calls, by the names behind its numbers. */
struct cell_ref {
	const char *function;
	const char *library;
	const struct cuaudit_stat_cell *cell;
};

/* FUNCTION and LIBRARY records both have their number after the record's head. */
static uint32_t number(const void *record)
{
	return ((const struct cuaudit_stat_function *)record)->slot;
}

_Static_assert(offsetof(struct cuaudit_stat_function, slot) ==
	       offsetof(struct cuaudit_stat_library, index), "numbers lie alike");

static int by_number(const void *left, const void *right)
{
	const void *a = *(const void *const *)left, *b = *(const void *const *)right;

	if (number(a) != number(b))
		return number(a) < number(b) ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The record of a number, the first if there are more; NULL if there is none. */
static const void *by_index(const struct report_list *list, uint32_t index)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (number(list->records[middle]) < index)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < list->count && number(list->records[low]) == index)
		return list->records[low];
	return NULL;
}

static int gather(struct report *report, struct report_list *list,
		  struct records records, enum cuaudit_stat_type type)
{
	const struct cuaudit_stat_record *record;
	struct records walk = records;
	size_t room = 0;

	while ((record = records_next(&walk)))
		room += record->type == type;
	list->records = memory_take(&report->memory, room, sizeof(*list->records));
	if (!list->records)
		return -ENOMEM;
	while ((record = records_next(&records)) && list->count < room)
		if (record->type == type)
			list->records[list->count++] = record;
	return 0;
}

const char *report_path(const struct report *report, uint32_t index)
{
	const struct cuaudit_stat_library *library = by_index(&report->paths, index);

	if (library)
		return library->path;
	return index == CUAUDIT_STAT_NONE ? "(none)" : "(unknown library)";
}

static int by_escape(const void *left, const void *right)
{
	const struct cuaudit_stat_escape *a = *(const void *const *)left;
	const struct cuaudit_stat_escape *b = *(const void *const *)right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	if (a->flags != b->flags)
		return a->flags < b->flags ? -1 : 1;
	return a->library < b->library ? -1 : a->library > b->library;
}

static int by_uuid(const void *left, const void *right)
{
	const struct cuaudit_stat_table *a = *(const void *const *)left;
	const struct cuaudit_stat_table *b = *(const void *const *)right;
	int order = memcmp(a->uuid, b->uuid, sizeof(a->uuid));

	return order ? order : a->library < b->library ? -1 : a->library > b->library;
}

static int by_library(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;
	int order = strcmp(a->library, b->library);

	return order ? order : strcmp(a->function, b->function);
}

static int by_function(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;

	return strcmp(a->function, b->function);
}

static int rows_by_total(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int libraries_by_total(const void *left, const void *right)
{
	const struct report_library *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->path, b->path);
}

/* One row for each run of refs of one function; returns how many. */
static size_t fill_rows(struct report *report, struct report_row *rows,
			const struct cell_ref *refs, size_t count)
{
	struct sum sum;
	size_t n = 0;

	for (size_t i = 0; i < count; n++) {
		const char *name = refs[i].function;

		sum_clear(&sum);
		for (; i < count && !strcmp(refs[i].function, name); i++)
			sum_add(&sum, refs[i].cell);
		rows[n].name = name;
		sum_row(&sum, report->header, &rows[n]);
	}
	sort(rows, n, sizeof(*rows), rows_by_total);
	return n;
}

static int fill_libraries(struct report *report, struct cell_ref *refs, size_t count)
{
	struct report_row *rows = memory_take(&report->memory, count, sizeof(*rows));

	report->libraries = memory_take(&report->memory, count, sizeof(*report->libraries));
	if (!rows || !report->libraries)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_library);
	for (size_t i = 0, end; i < count; i = end) {
		struct report_library *library = &report->libraries[report->nlibraries++];

		library->path = refs[i].library;
		for (end = i; end < count && !strcmp(refs[end].library, library->path);)
			end++;
		library->rows = rows;
		library->nrows = fill_rows(report, rows, refs + i, end - i);
		for (size_t j = 0; j < library->nrows; j++) {
			library->calls += rows[j].calls;
			library->total_ns += rows[j].total_ns;
		}
		rows += library->nrows;
	}
	sort(report->libraries, report->nlibraries, sizeof(*report->libraries),
	     libraries_by_total);
	return 0;
}

static int by_thread(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;
	uint32_t x = a->cell->thread, y = b->cell->thread;

	return x != y ? (x > y) - (x < y) : strcmp(a->function, b->function);
}

static struct report_thread *find_thread(struct report_threads *threads, uint32_t wanted)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->rows[i].number == wanted)
			return &threads->rows[i];
	return NULL;
}

static int fill_threads(struct report *report, struct cell_ref *refs, size_t count)
{
	struct report_row *rows = memory_take(&report->memory, count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_thread);
	for (size_t i = 0, end; i < count; i = end) {
		uint32_t wanted = refs[i].cell->thread;
		struct report_thread *thread = find_thread(&report->threads, wanted);

		for (end = i; end < count && refs[end].cell->thread == wanted;)
			end++;
		if (!thread)
			continue;
		thread->rows = rows;
		thread->nrows = fill_rows(report, rows, refs + i, end - i);
		rows += thread->nrows;
	}
	return 0;
}

static int fill_functions(struct report *report, struct cell_ref *refs, size_t count)
{
	report->rows = memory_take(&report->memory, count, sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_function);
	report->nrows = fill_rows(report, report->rows, refs, count);
	for (size_t i = 0; i < report->nrows; i++) {
		report->calls += report->rows[i].calls;
		report->total_ns += report->rows[i].total_ns;
	}
	return 0;
}

static int fill_refs(struct report *report, const struct report_list *cells)
{
	struct cell_ref *refs = memory_take(&report->memory, cells->count, sizeof(*refs));
	size_t count = 0;

	if (!refs)
		return -ENOMEM;
	for (size_t i = 0; i < cells->count; i++) {
		const struct cuaudit_stat_cell *cell = cells->records[i];
		const struct cuaudit_stat_function *function;

		if (!cell->calls)
			continue;
		function = by_index(&report->functions, cell->slot);
		refs[count].function = function ? function->name : "(unknown function)";
		refs[count].library = report_path(report, cell->library);
		refs[count++].cell = cell;
	}
	if (fill_libraries(report, refs, count) || fill_threads(report, refs, count))
		return -ENOMEM;
	return fill_functions(report, refs, count);
}

int report_build(struct report *report, const struct segment *segments, size_t count,
		 size_t threads)
{
	struct report_list cells = { 0 }, routes = { 0 };
	struct records records = { .segments = segments, .count = count };

	memset(report, 0, sizeof(*report));
	report->header = segments[0].data;
	report->timed = report->header->flags & CUAUDIT_STAT_TIMED;
	if (gather(report, &cells, records, CUAUDIT_STAT_CELL) ||
	    gather(report, &routes, records, CUAUDIT_STAT_ROUTES) ||
	    gather(report, &report->drivers, records, CUAUDIT_STAT_DRIVER) ||
	    gather(report, &report->escapes, records, CUAUDIT_STAT_ESCAPE) ||
	    gather(report, &report->tables, records, CUAUDIT_STAT_TABLE) ||
	    gather(report, &report->functions, records, CUAUDIT_STAT_FUNCTION) ||
	    gather(report, &report->paths, records, CUAUDIT_STAT_LIBRARY))
		return -ENOMEM;
	if (routes.count)
		report->routes = routes.records[routes.count - 1];
	sort(report->escapes.records, report->escapes.count, sizeof(void *), by_escape);
	sort(report->tables.records, report->tables.count, sizeof(void *), by_uuid);
	sort(report->functions.records, report->functions.count, sizeof(void *), by_number);
	sort(report->paths.records, report->paths.count, sizeof(void *), by_number);
	while (records_next(&records))
		;
	report->damaged = records.damaged;
	records = (struct records){ .segments = segments, .count = count };
	if (threads_build(&report->threads, &report->memory, records, report->header, threads))
		return -ENOMEM;
	return fill_refs(report, &cells);
}

void report_free(struct report *report)
{
	memory_free(&report->memory);
}
