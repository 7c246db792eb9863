/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of one process, or of all of a run, say, ready to be printed. */
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/coverage.h>

#include "report/sort.h"

/* Records of one type, in the order of their file. */
struct list {
	const void **records;
	size_t count;
};

/* What one process has recorded. */
struct part {
	const struct cuaudit_stat_header *header;
	struct records records;
	struct list cells, routes, drivers, escapes, tables;
	struct list functions;	/* by slot */
	struct list paths;	/* libraries, by index */
};

/* A cell with calls, by the names behind its numbers. */
struct cell_ref {
	const char *function;
	const char *library;
	const struct cuaudit_stat_cell *cell;
	const struct cuaudit_stat_header *header;
	uint32_t process;
};

static const char unnamed[] = "(unknown function)";

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
static const void *by_index(const struct list *list, uint32_t index)
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

static int gather(struct memory *memory, struct list *list, struct records records,
		  enum cuaudit_stat_type type)
{
	const struct cuaudit_stat_record *record;
	struct records walk = records;
	size_t room = 0;

	while ((record = records_next(&walk)))
		room += record->type == type;
	list->records = memory_take(memory, room, sizeof(*list->records));
	if (!list->records)
		return -ENOMEM;
	while ((record = records_next(&records)) && list->count < room)
		if (record->type == type)
			list->records[list->count++] = record;
	return 0;
}

/* NULL for CUAUDIT_STAT_NONE. */
static const char *path_of(const struct part *part, uint32_t index)
{
	const struct cuaudit_stat_library *library = by_index(&part->paths, index);

	if (library)
		return library->path;
	return index == CUAUDIT_STAT_NONE ? NULL : "(unknown library)";
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_paths(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_escape(const void *left, const void *right)
{
	const struct report_escape *x = left, *y = right;
	const struct cuaudit_stat_escape *a = x->record, *b = y->record;
	int order = strcmp(a->name, b->name);

	if (!order)
		order = compare(a->version, b->version);
	if (!order)
		order = compare(a->flags, b->flags);
	if (!order)
		order = compare(a->kind, b->kind);
	return order ? order : compare_paths(x->library, y->library);
}

static int by_uuid(const void *left, const void *right)
{
	const struct report_table *x = left, *y = right;
	const struct cuaudit_stat_table *a = x->record, *b = y->record;
	int order = memcmp(a->uuid, b->uuid, sizeof(a->uuid));

	if (!order)
		order = compare((uint32_t)a->result, (uint32_t)b->result);
	return order ? order : compare_paths(x->library, y->library);
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

/* One row for each run of refs of one function that the driver was called for; returns how many. */
static size_t fill_rows(struct report *report, struct report_row *rows,
			const struct cell_ref *refs, size_t count)
{
	struct sum sum;
	size_t n = 0;

	for (size_t i = 0; i < count;) {
		const char *name = refs[i].function;

		sum_clear(&sum);
		for (; i < count && !strcmp(refs[i].function, name); i++)
			sum_add_of(&sum, refs[i].cell, refs[i].header, report->header);
		if (!sum.calls)
			continue;
		rows[n].name = name;
		sum_row(&sum, report->header, &rows[n++]);
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
		struct report_library *library = &report->libraries[report->nlibraries];

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
		/* Unless all of its calls were answered by hooks. */
		report->nlibraries += library->nrows != 0;
	}
	sort(report->libraries, report->nlibraries, sizeof(*report->libraries),
	     libraries_by_total);
	return 0;
}

static int by_thread(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;
	int order = compare(a->process, b->process);

	if (!order)
		order = compare(a->cell->thread, b->cell->thread);
	return order ? order : strcmp(a->function, b->function);
}

static struct report_thread *find_thread(struct report_threads *threads,
					 const struct cell_ref *ref)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->rows[i].number == ref->cell->thread &&
		    threads->rows[i].process == ref->process)
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
		struct report_thread *thread = find_thread(&report->threads, &refs[i]);

		for (end = i; end < count && refs[end].process == refs[i].process &&
			      refs[end].cell->thread == refs[i].cell->thread;)
			end++;
		if (!thread)
			continue;
		thread->rows = rows;
		thread->nrows = fill_rows(report, rows, refs + i, end - i);
		rows += thread->nrows;
	}
	return 0;
}

/* refs by function. */
static int fill_answered(struct report *report, const struct cell_ref *refs, size_t count)
{
	struct report_answered *rows = memory_take(&report->memory, count, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < count;) {
		const char *name = refs[i].function;

		rows[n] = (struct report_answered){ .name = name };
		for (; i < count && !strcmp(refs[i].function, name); i++)
			rows[n].calls += refs[i].cell->answered;
		n += rows[n].calls != 0;
	}
	report->answered = rows;
	report->nanswered = n;
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
	return fill_answered(report, refs, count);
}

static void add_to_process(struct report_process *process, const struct cuaudit_stat_cell *cell)
{
	process->calls += cell->calls;
	process->errors += cell->errors;
	process->answered += cell->answered;
	process->total_ns += sum_ns(process->header, cell->total);
}

static int fill_refs(struct report *report, const struct part *parts, size_t nparts)
{
	struct cell_ref *refs;
	size_t count = 0, room = 0;

	for (size_t i = 0; i < nparts; i++)
		room += parts[i].cells.count;
	refs = memory_take(&report->memory, room, sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++)
		for (size_t j = 0; j < parts[i].cells.count; j++) {
			const struct cuaudit_stat_cell *cell = parts[i].cells.records[j];
			const struct cuaudit_stat_function *function;

			if (!cell->calls && !cell->answered)
				continue;
			function = by_index(&parts[i].functions, cell->slot);
			/* What is read of a process that runs may be of two moments. */
			report->damaged += !function && report->processes[i].end != REPORT_END_RUNS;
			refs[count++] = (struct cell_ref){
				.function = function ? function->name : unnamed,
				.library = path_of(&parts[i], cell->library),
				.cell = cell,
				.header = parts[i].header,
				.process = (uint32_t)i
			};
			if (!refs[count - 1].library)
				refs[count - 1].library = "(none)";
			add_to_process(&report->processes[i], cell);
		}
	if (fill_libraries(report, refs, count) || fill_threads(report, refs, count))
		return -ENOMEM;
	return fill_functions(report, refs, count);
}

static int by_time(const void *left, const void *right)
{
	const struct report_process *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return compare(b->total_ns, a->total_ns);
	if (a->calls != b->calls)
		return compare(b->calls, a->calls);
	return compare(a->header->pid, b->header->pid);
}

static int by_run(const void *left, const void *right)
{
	const struct report_process *a = left, *b = right;

	return compare(a->header->run, b->header->run);
}

/* After the threads, who know them by their index. */
static void finish_processes(struct report *report)
{
	struct report_process *processes = report->processes;
	size_t kept = 0;

	for (size_t i = 0; i < report->nprocesses; i++)
		if (processes[i].calls || processes[i].answered || processes[i].header->lost)
			processes[kept++] = processes[i];
	for (size_t i = 0; i < kept; i++)
		report->unknown += !(processes[i].header->flags & CUAUDIT_STAT_COVERAGE);
	report->nprocesses = kept;
	sort(processes, kept, sizeof(*processes), by_run);
	for (size_t i = 0; i < kept; i++)
		report->nruns += processes[i].header->run &&
				 (!i || processes[i].header->run != processes[i - 1].header->run);
	sort(processes, kept, sizeof(*processes), by_time);
}

static int gather_all(struct memory *memory, struct part *part, const struct report_source *source)
{
	struct records records = { .segments = source->segments, .count = source->count };

	part->header = source->segments[0].data;
	part->records = records;
	if (gather(memory, &part->cells, records, CUAUDIT_STAT_CELL) ||
	    gather(memory, &part->routes, records, CUAUDIT_STAT_ROUTES) ||
	    gather(memory, &part->drivers, records, CUAUDIT_STAT_DRIVER) ||
	    gather(memory, &part->escapes, records, CUAUDIT_STAT_ESCAPE) ||
	    gather(memory, &part->tables, records, CUAUDIT_STAT_TABLE) ||
	    gather(memory, &part->functions, records, CUAUDIT_STAT_FUNCTION) ||
	    gather(memory, &part->paths, records, CUAUDIT_STAT_LIBRARY))
		return -ENOMEM;
	sort(part->functions.records, part->functions.count, sizeof(void *), by_number);
	sort(part->paths.records, part->paths.count, sizeof(void *), by_number);
	return 0;
}

static void add_header(struct report *report, const struct cuaudit_stat_header *header)
{
	if (!report->first_ns || header->start_ns < report->first_ns)
		report->first_ns = header->start_ns;
	if (header->start_ns > report->last_ns)
		report->last_ns = header->start_ns;
	report->timed &= !!(header->flags & CUAUDIT_STAT_TIMED);
	report->partial += !!(header->flags & CUAUDIT_STAT_PARTIAL);
	report->lost += header->lost;
	report->unhooked += header->unhooked;
	report->unwound += header->unwound;
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
		sum = report->routes = memory_take(&report->memory, 1, sizeof(*sum));
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

static int fill_coverage(struct report *report, const struct part *parts, size_t nparts)
{
	size_t drivers = 0, escapes = 0, tables = 0;

	for (size_t i = 0; i < nparts; i++) {
		drivers += parts[i].drivers.count;
		escapes += parts[i].escapes.count;
		tables += parts[i].tables.count;
		if (add_routes(report, &parts[i]))
			return -ENOMEM;
	}
	report->drivers = memory_take(&report->memory, drivers, sizeof(*report->drivers));
	report->escapes = memory_take(&report->memory, escapes, sizeof(*report->escapes));
	report->tables = memory_take(&report->memory, tables, sizeof(*report->tables));
	if (!report->drivers || !report->escapes || !report->tables)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++) {
		const struct part *part = &parts[i];

		for (size_t j = 0; j < part->drivers.count; j++)
			add_driver(report, part->drivers.records[j]);
		for (size_t j = 0; j < part->escapes.count; j++) {
			const struct cuaudit_stat_escape *record = part->escapes.records[j];

			report->escapes[report->nescapes++] = (struct report_escape){
				record, path_of(part, record->library), record->count
			};
		}
		for (size_t j = 0; j < part->tables.count; j++) {
			const struct cuaudit_stat_table *record = part->tables.records[j];

			report->tables[report->ntables++] = (struct report_table){
				record, path_of(part, record->library), record->count
			};
		}
	}
	unite(report);
	return 0;
}

static int fill_parts(struct report *report, struct part *parts,
		      const struct report_source *sources, size_t count)
{
	size_t threads = 0;

	for (size_t i = 0; i < count; i++) {
		struct records walk;

		if (gather_all(&report->memory, &parts[i], &sources[i]))
			return -ENOMEM;
		walk = parts[i].records;
		while (records_next(&walk))
			;
		report->damaged += walk.damaged;
		threads += threads_count(parts[i].records);
		report->processes[i] = (struct report_process){
			.header = parts[i].header, .end = sources[i].end, .status = sources[i].status
		};
		add_header(report, parts[i].header);
	}
	if (threads_room(&report->threads, &report->memory, threads))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		threads_add(&report->threads, parts[i].records, parts[i].header, (uint32_t)i);
	return 0;
}

int report_merge(struct report *report, const struct report_source *sources, size_t count,
		 size_t threads)
{
	struct part *parts;

	*report = (struct report){ .timed = 1 };
	report->header = sources[0].segments[0].data;
	parts = memory_take(&report->memory, count, sizeof(*parts));
	report->processes = memory_take(&report->memory, count, sizeof(*report->processes));
	if (!parts || !report->processes)
		return -ENOMEM;
	report->nprocesses = count;
	if (fill_parts(report, parts, sources, count))
		return -ENOMEM;
	threads_finish(&report->threads, threads);
	if (fill_coverage(report, parts, count) || fill_refs(report, parts, count))
		return -ENOMEM;
	finish_processes(report);
	return 0;
}

int report_build(struct report *report, const struct segment *segments, size_t count,
		 size_t threads)
{
	const struct report_source source = {
		.segments = segments,
		.count = count,
		.end = ((const struct cuaudit_stat_header *)segments[0].data)->flags &
		       CUAUDIT_STAT_ENDED ? REPORT_END_EXIT : REPORT_END_UNKNOWN,
		.status = -1
	};

	return report_merge(report, &source, 1, threads);
}

static void append(struct out_number *text, const char *more)
{
	size_t used = strlen(text->text);

	while (*more && used < sizeof(text->text) - 1)
		text->text[used++] = *more++;
	text->text[used] = '\0';
}

struct out_number report_end_text(const struct report_process *process)
{
	static const char *const words[] = {
		[REPORT_END_UNKNOWN] = "not by exit()", [REPORT_END_EXIT] = "exit",
		[REPORT_END_QUIT] = "_exit", [REPORT_END_SIGNAL] = "signal",
		[REPORT_END_EXEC] = "exec", [REPORT_END_RUNS] = "still running"
	};
	struct out_number text = { "" };

	append(&text, words[process->end]);
	if ((process->end == REPORT_END_EXIT && process->status >= 0) ||
	    process->end == REPORT_END_QUIT || process->end == REPORT_END_SIGNAL) {
		append(&text, " ");
		append(&text, out_count((uint64_t)process->status).text);
	}
	return text;
}

void report_free(struct report *report)
{
	memory_free(&report->memory);
}
