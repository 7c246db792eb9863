/* SPDX-License-Identifier: Apache-2.0 */
/* A report as one JSON object on one line. */
#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>

#include "analysis/escape_kind.h"
#include "analysis/stat_report.h"

static const char *const route_keys[] = {
	[CUAUDIT_ROUTE_PLT] = "plt",
	[CUAUDIT_ROUTE_DLSYM] = "dlsym",
	[CUAUDIT_ROUTE_RELOCATION] = "relocation",
	[CUAUDIT_ROUTE_PROCADDR] = "procaddr"
};

_Static_assert(sizeof(route_keys) / sizeof(route_keys[0]) == CUAUDIT_ROUTES, "a key each");

static const uint8_t counts_columns[] = { ROW_CALLS, ROW_ERRORS, ROW_TOTAL, ROW_END };

/* What no process has recorded is null. */
static int is_known(const struct report *report)
{
	return report->unknown < report->nprocesses || !report->nprocesses;
}

static void rows(const struct report *report, struct writer *json, const struct report_row *row,
		 size_t count)
{
	static const uint8_t columns[] = {
		ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_MIN, ROW_P50, ROW_P99, ROW_MAX,
		ROW_AVG, ROW_STDDEV, ROW_END
	};

	WRITER_OBJECTS(json, "functions", i, count) {
		writer_text(json, "name", row[i].name);
		row_json(json, columns, &row[i].times, report->timed);
	}
}

static void driver(const struct cuaudit_stat_driver *driver, struct writer *json, const char *key)
{
	writer_begin(json, key, '{');
	writer_text(json, "path", driver->path);
	writer_number(json, "version", driver->version);
	writer_number(json, "functions", driver->functions);
	writer_number(json, "without_slot", driver->without_slot);
	writer_end(json, '}');
}

static void drivers(const struct report *report, struct writer *json)
{
	const struct cuaudit_stat_driver *first = NULL;

	for (size_t i = 0; i < report->ndrivers && !first; i++)
		if (!stat_is_provider(report->drivers[i]))
			first = report->drivers[i];
	if (first)
		driver(first, json, "driver");
	else
		writer_null(json, "driver");
	WRITER_ARRAY(json, "drivers", i, report->ndrivers)
		if (!stat_is_provider(report->drivers[i]))
			driver(report->drivers[i], json, NULL);
	WRITER_ARRAY(json, "providers", i, report->ndrivers)
		if (stat_is_provider(report->drivers[i]))
			driver(report->drivers[i], json, NULL);
}

static void answered(const struct report *report, struct writer *json)
{
	WRITER_OBJECTS(json, "answered_by_hooks", i, report->nanswered) {
		writer_text(json, "name", report->answered[i].name);
		writer_number(json, "calls", report->answered[i].calls);
	}
}

static void errors(const struct report *report, struct writer *json)
{
	WRITER_OBJECTS(json, "results", i, report->errors.count) {
		writer_text(json, "name", report->errors.rows[i].function);
		error_row_json(json, &report->errors, &report->errors.rows[i], SIZE_MAX);
	}
}

static const char *const end_names[] = {
	[REPORT_END_UNKNOWN] = "unknown",
	[REPORT_END_EXIT] = "exit",
	[REPORT_END_QUIT] = "_exit",
	[REPORT_END_SIGNAL] = "signal",
	[REPORT_END_EXEC] = "exec",
	[REPORT_END_RUNS] = "running"
};

static void process(const struct report *report, const struct report_process *process,
		    struct writer *json)
{
	const struct cuaudit_stat_header *header = process->header;

	writer_begin(json, NULL, '{');
	writer_number(json, "pid", header->pid);
	writer_number(json, "parent", header->parent);
	writer_text(json, "host", header->host);
	writer_known(json, "rank", header->rank - (uint64_t)1, header->rank);
	writer_number(json, "run", header->run);
	writer_text(json, "program", header->program);
	writer_text(json, "command", header->command);
	writer_number(json, "start_ns", header->start_ns);
	writer_text(json, "ended", end_names[process->end]);
	writer_known(json, "status", (uint64_t)process->status, process->status >= 0);
	row_json(json, counts_columns, &process->counts, report->timed);
	writer_number(json, "answered_by_hooks", process->answered);
	writer_flag(json, "complete", !(header->flags & CUAUDIT_STAT_PARTIAL));
	writer_end(json, '}');
}

static void processes(const struct report *report, struct writer *json)
{
	WRITER_ARRAY(json, "processes", i, report->nprocesses)
		process(report, &report->processes[i], json);
	writer_number(json, "runs", report->nruns);
}

static void libraries(const struct report *report, struct writer *json)
{
	WRITER_OBJECTS(json, "libraries", i, report->nlibraries) {
		const struct report_library *library = &report->libraries[i];

		writer_text(json, "path", library->path);
		rows(report, json, library->rows, library->nrows);
	}
}

static void threads(const struct report *report, struct writer *json)
{
	const struct report_threads *threads = &report->threads;

	writer_begin(json, "threads", '[');
	for (size_t i = 0; i < threads->count; i++) {
		const struct report_thread *thread = &threads->rows[i];

		writer_begin(json, NULL, '{');
		writer_number(json, "tid", (uint32_t)thread->tid);
		writer_number(json, "pid", thread->pid);
		writer_text(json, "name", thread->name);
		row_json(json, counts_columns, &thread->counts, report->timed);
		if (thread->rows)
			rows(report, json, thread->rows, thread->nrows);
		writer_end(json, '}');
	}
	if (threads->nothers) {
		writer_begin(json, NULL, '{');
		writer_null(json, "tid");
		writer_text(json, "name", "others");
		writer_number(json, "threads", threads->nothers);
		row_json(json, counts_columns, &threads->others.counts, report->timed);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void by_route(struct writer *json, const char *key, const uint64_t *counts)
{
	writer_begin(json, key, '{');
	for (int i = 0; i < CUAUDIT_ROUTES; i++)
		writer_number(json, route_keys[i], counts[i]);
}

static void routes(const struct report *report, struct writer *json)
{
	static const struct cuaudit_stat_routes none;
	const struct cuaudit_stat_routes *routes = report->routes ? report->routes : &none;

	by_route(json, "routes", routes->bindings);
	writer_end(json, '}');
	/* How many functions any of several processes bound is not recorded. */
	if (report->nprocesses > 1) {
		writer_null(json, "bound");
		return;
	}
	by_route(json, "bound", routes->functions);
	writer_number(json, "functions", routes->bound);
	writer_end(json, '}');
}

static void json_escapes(const struct report *report, struct writer *json)
{
	if (!is_known(report)) {
		writer_null(json, "escapes");
		return;
	}
	WRITER_OBJECTS(json, "escapes", i, report->nescapes) {
		const struct cuaudit_stat_escape *escape = report->escapes[i].escape;

		writer_text(json, "name", escape->name);
		writer_number(json, "version", escape->version);
		writer_number(json, "flags", escape->flags);
		writer_text(json, "library", report->escapes[i].library);
		writer_number(json, "count", report->escapes[i].count);
		writer_text(json, "kind", escape_key(escape->kind));
	}
}

static void tables(const struct report *report, struct writer *json)
{
	WRITER_OBJECTS(json, "export_tables", i, report->ntables) {
		const struct cuaudit_stat_table *table = report->tables[i].table;

		writer_uuid(json, "uuid", table->uuid);
		writer_number(json, "size", table->size);
		writer_text(json, "library", report->tables[i].library);
		writer_number(json, "count", report->tables[i].count);
		writer_number(json, "result", (uint32_t)table->result);
	}
}

static void clock_object(const struct report *report, struct writer *json)
{
	const struct cuaudit_stat_header *header = report->header;

	if (!report->timed) {
		writer_null(json, "clock");
		return;
	}
	writer_begin(json, "clock", '{');
	writer_text(json, "source", header->clock_source == CUAUDIT_CLOCK_COUNTER ?
		    "counter" : "monotonic");
	writer_number(json, "hz", header->clock_hz);
	writer_number(json, "pair_ns", sum_ns(header, header->clock_pair));
	writer_end(json, '}');
}

void report_json(const struct report *report, struct out *out)
{
	const struct cuaudit_stat_header *only = report->nprocesses > 1 ? NULL : report->header;
	struct writer writer = { .out = out }, *json = &writer;

	writer_begin(json, NULL, '{');
	writer_number(json, "version", CUAUDIT_STAT_VERSION);
	writer_known(json, "pid", report->header->pid, only);
	writer_text(json, "program", only ? only->program : NULL);
	writer_known(json, "elapsed_ns", report->header->elapsed_ns, only);
	drivers(report, json);
	rows(report, json, report->rows, report->nrows);
	errors(report, json);
	answered(report, json);
	libraries(report, json);
	processes(report, json);
	threads(report, json);
	routes(report, json);
	json_escapes(report, json);
	tables(report, json);
	clock_object(report, json);
	writer_known(json, "unhooked_calls", report->unhooked, is_known(report));
	writer_known(json, "unwound_calls", report->unwound, is_known(report));
	writer_number(json, "unknown_processes", report->unknown);
	writer_number(json, "lost_calls", report->lost);
	writer_number(json, "incomplete_processes", report->partial);
	writer_number(json, "damaged_segments", report->damaged);
	writer_end(json, '}');
	out_text(out, "\n");
}
