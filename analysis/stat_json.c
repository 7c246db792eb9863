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


/* Keys are given with what stands before them: "{", "," or nothing. */
static void key(struct out *out, const char *before, const char *name)
{
	out_text(out, before);
	out_text(out, "\"");
	out_text(out, name);
	out_text(out, "\":");
}

static void number(struct out *out, const char *name, uint64_t value)
{
	key(out, ",", name);
	out_u64(out, value);
}

/* A number that was not measured is null. */
static void measured(const struct report *report, struct out *out, const char *name,
		     uint64_t value)
{
	if (report->timed) {
		number(out, name, value);
	} else {
		key(out, ",", name);
		out_text(out, "null");
	}
}

static int is_known(const struct report *report)
{
	return report->unknown < report->nprocesses || !report->nprocesses;
}

/* Nor is one that no process has recorded. */
static void known(const struct report *report, struct out *out, const char *name, uint64_t value)
{
	if (is_known(report)) {
		number(out, name, value);
	} else {
		key(out, ",", name);
		out_text(out, "null");
	}
}

static void text(struct out *out, const char *before, const char *name, const char *value)
{
	key(out, before, name);
	if (value)
		out_json(out, value);
	else
		out_text(out, "null");
}

static void rows(const struct report *report, struct out *out, const struct report_row *row,
		 size_t count)
{
	key(out, ",", "functions");
	out_text(out, "[");
	for (size_t i = 0; i < count; i++, row++) {
		text(out, i ? ",{" : "{", "name", row->name);
		number(out, "calls", row->calls);
		measured(report, out, "errors", row->errors);
		measured(report, out, "not_ready", row->not_ready);
		measured(report, out, "total_ns", row->total_ns);
		measured(report, out, "min_ns", row->min_ns);
		measured(report, out, "p50_ns", row->p50_ns);
		measured(report, out, "p99_ns", row->p99_ns);
		measured(report, out, "max_ns", row->max_ns);
		measured(report, out, "avg_ns", row->avg_ns);
		measured(report, out, "stddev_ns", row->stddev_ns);
		out_text(out, "}");
	}
	out_text(out, "]");
}

static void driver(const struct cuaudit_stat_driver *driver, struct out *out,
		   const char *before)
{
	text(out, before, "path", driver->path);
	number(out, "version", driver->version);
	number(out, "functions", driver->functions);
	number(out, "unrouted", driver->unrouted);
	out_text(out, "}");
}

static void drivers(const struct report *report, struct out *out)
{
	key(out, ",", "driver");
	if (report->ndrivers)
		driver(report->drivers[0], out, "{");
	else
		out_text(out, "null");
	key(out, ",", "drivers");
	out_text(out, "[");
	for (size_t i = 0; i < report->ndrivers; i++)
		driver(report->drivers[i], out, i ? ",{" : "{");
	out_text(out, "]");
}

static void answered(const struct report *report, struct out *out)
{
	key(out, ",", "answered_by_hooks");
	out_text(out, "[");
	for (size_t i = 0; i < report->nanswered; i++) {
		text(out, i ? ",{" : "{", "name", report->answered[i].name);
		number(out, "calls", report->answered[i].calls);
		out_text(out, "}");
	}
	out_text(out, "]");
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
		    struct out *out, const char *before)
{
	const struct cuaudit_stat_header *header = process->header;

	key(out, before, "pid");
	out_u64(out, header->pid);
	number(out, "parent", header->parent);
	text(out, ",", "host", header->host);
	key(out, ",", "rank");
	if (header->rank)
		out_u64(out, header->rank - 1);
	else
		out_text(out, "null");
	number(out, "run", header->run);
	text(out, ",", "program", header->program);
	text(out, ",", "command", header->command);
	number(out, "start_ns", header->start_ns);
	text(out, ",", "ended", end_names[process->end]);
	key(out, ",", "status");
	if (process->status < 0)
		out_text(out, "null");
	else
		out_u64(out, (uint64_t)process->status);
	number(out, "calls", process->calls);
	measured(report, out, "errors", process->errors);
	measured(report, out, "total_ns", process->total_ns);
	number(out, "answered_by_hooks", process->answered);
	key(out, ",", "complete");
	out_text(out, header->flags & CUAUDIT_STAT_PARTIAL ? "false}" : "true}");
}

static void processes(const struct report *report, struct out *out)
{
	key(out, ",", "processes");
	out_text(out, "[");
	for (size_t i = 0; i < report->nprocesses; i++)
		process(report, &report->processes[i], out, i ? ",{" : "{");
	out_text(out, "]");
	number(out, "runs", report->nruns);
}

static void libraries(const struct report *report, struct out *out)
{
	key(out, ",", "libraries");
	out_text(out, "[");
	for (size_t i = 0; i < report->nlibraries; i++) {
		const struct report_library *library = &report->libraries[i];

		text(out, i ? ",{" : "{", "path", library->path);
		rows(report, out, library->rows, library->nrows);
		out_text(out, "}");
	}
	out_text(out, "]");
}

static void thread_counts(const struct report *report, struct out *out,
			  const struct report_thread *thread)
{
	number(out, "calls", thread->calls);
	measured(report, out, "errors", thread->errors);
	measured(report, out, "total_ns", thread->total_ns);
	if (thread->rows)
		rows(report, out, thread->rows, thread->nrows);
	out_text(out, "}");
}

static void threads(const struct report *report, struct out *out)
{
	const struct report_threads *threads = &report->threads;

	key(out, ",", "threads");
	out_text(out, "[");
	for (size_t i = 0; i < threads->count; i++) {
		key(out, i ? ",{" : "{", "tid");
		out_u64(out, (uint32_t)threads->rows[i].tid);
		number(out, "pid", threads->rows[i].pid);
		text(out, ",", "name", threads->rows[i].name);
		thread_counts(report, out, &threads->rows[i]);
	}
	if (threads->nothers) {
		key(out, threads->count ? ",{" : "{", "tid");
		out_text(out, "null,\"name\":\"others\"");
		number(out, "threads", threads->nothers);
		thread_counts(report, out, &threads->others);
	}
	out_text(out, "]");
}

static void routes(const struct report *report, struct out *out)
{
	key(out, ",", "routes");
	for (int i = 0; i < CUAUDIT_ROUTES; i++) {
		key(out, i ? "," : "{", route_keys[i]);
		out_u64(out, report->routes ? report->routes->bindings[i] : 0);
	}
	out_text(out, "}");
	key(out, ",", "bound");
	/* How many functions any of several processes bound is not recorded. */
	if (report->nprocesses > 1) {
		out_text(out, "null");
		return;
	}
	for (int i = 0; i < CUAUDIT_ROUTES; i++) {
		key(out, i ? "," : "{", route_keys[i]);
		out_u64(out, report->routes ? report->routes->functions[i] : 0);
	}
	number(out, "functions", report->routes ? report->routes->bound : 0);
	out_text(out, "}");
}

static void unrouted(const struct report *report, struct out *out)
{
	key(out, ",", "unrouted");
	if (!is_known(report)) {
		out_text(out, "null");
		return;
	}
	out_text(out, "[");
	for (size_t i = 0; i < report->nescapes; i++) {
		const struct cuaudit_stat_escape *escape = report->escapes[i].record;

		text(out, i ? ",{" : "{", "name", escape->name);
		number(out, "version", escape->version);
		number(out, "flags", escape->flags);
		text(out, ",", "library", report->escapes[i].library);
		number(out, "count", report->escapes[i].count);
		text(out, ",", "kind", escape_key(escape->kind));
		out_text(out, "}");
	}
	out_text(out, "]");
}

static void tables(const struct report *report, struct out *out)
{
	key(out, ",", "export_tables");
	out_text(out, "[");
	for (size_t i = 0; i < report->ntables; i++) {
		const struct cuaudit_stat_table *table = report->tables[i].record;

		key(out, i ? ",{" : "{", "uuid");
		out_text(out, "\"");
		out_uuid(out, table->uuid);
		out_text(out, "\"");
		number(out, "size", table->size);
		text(out, ",", "library", report->tables[i].library);
		number(out, "count", report->tables[i].count);
		number(out, "result", (uint32_t)table->result);
		out_text(out, "}");
	}
	out_text(out, "]");
}

static void clock_object(const struct report *report, struct out *out)
{
	const struct cuaudit_stat_header *header = report->header;

	key(out, ",", "clock");
	if (!report->timed) {
		out_text(out, "null");
		return;
	}
	text(out, "{", "source", header->clock_source == CUAUDIT_CLOCK_COUNTER ?
	     "counter" : "monotonic");
	number(out, "hz", header->clock_hz);
	number(out, "pair_ns", sum_ns(header, header->clock_pair));
	out_text(out, "}");
}

void report_json(const struct report *report, struct out *out)
{
	key(out, "{", "version");
	out_u64(out, CUAUDIT_STAT_VERSION);
	if (report->nprocesses > 1) {
		out_text(out, ",\"pid\":null,\"program\":null,\"elapsed_ns\":null");
	} else {
		number(out, "pid", report->header->pid);
		text(out, ",", "program", report->header->program);
		number(out, "elapsed_ns", report->header->elapsed_ns);
	}
	drivers(report, out);
	rows(report, out, report->rows, report->nrows);
	answered(report, out);
	libraries(report, out);
	processes(report, out);
	threads(report, out);
	routes(report, out);
	unrouted(report, out);
	tables(report, out);
	clock_object(report, out);
	known(report, out, "unhooked_calls", report->unhooked);
	known(report, out, "unwound_calls", report->unwound);
	number(out, "unknown_processes", report->unknown);
	number(out, "lost_calls", report->lost);
	number(out, "incomplete_processes", report->partial);
	number(out, "damaged_segments", report->damaged);
	out_text(out, "}\n");
}
