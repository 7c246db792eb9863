/* SPDX-License-Identifier: Apache-2.0 */
/* A report as tables for people, 132 columns wide. */
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>

#include "analysis/escape_kind.h"
#include "analysis/stat_report.h"

enum {
	COLUMNS = 132,
	NAME_COLUMN = 85,	/* where names begin in the table of functions */
	SHORT_COLUMN = 27,	/* the same in the other tables */
	TOP = 5,		/* functions shown of each library */
	PROCESSES = 200		/* with a line of their own */
};

static const char *const route_names[] = {
	[CUAUDIT_ROUTE_PLT] = "PLT",
	[CUAUDIT_ROUTE_DLSYM] = "dlsym",
	[CUAUDIT_ROUTE_RELOCATION] = "relocation",
	[CUAUDIT_ROUTE_PROCADDR] = "procaddr"
};

_Static_assert(sizeof(route_names) / sizeof(route_names[0]) == CUAUDIT_ROUTES, "a name each");

static void number(struct out *out, struct out_number value, size_t width)
{
	out_right(out, value.text, width);
}

static void plural(struct out *out, uint64_t count, const char *thing)
{
	out_u64(out, count);
	out_text(out, " ");
	out_text(out, thing);
	if (count != 1)
		out_text(out, thing[strlen(thing) - 1] == 's' ? "es" : "s");
}

static void processes_of(const struct report *report, struct out *out)
{
	out_fit(out, report->name, 48);
	out_text(out, ": ");
	if (report->nruns > 1) {
		plural(out, report->nruns, "run");
		out_text(out, ", ");
	}
	plural(out, report->nprocesses, "process");
	out_text(out, ", ");
}

static void title(const struct report *report, struct out *out)
{
	const char *program = report->header->program;
	const char *slash = strrchr(program, '/');

	out_text(out, "cuaudit: ");
	if (report->name) {
		processes_of(report, out);
	} else {
		out_fit(out, slash ? slash + 1 : program, 48);
		out_text(out, " (pid ");
		out_u64(out, report->header->pid);
		out_text(out, "): ");
	}
	plural(out, report->calls, "call");
	out_text(out, " of ");
	plural(out, report->nrows, "driver function");
	if (report->timed) {
		out_text(out, ", ");
		out_text(out, out_time(report->total_ns, 5).text);
		out_text(out, " in them");
	}
	if (report->name && report->nprocesses > 1) {
		out_text(out, ", begun within ");
		out_text(out, out_time(report->last_ns - report->first_ns, 3).text);
	}
	if (!report->name && report->header->elapsed_ns) {
		out_text(out, ", ");
		out_text(out, out_time(report->header->elapsed_ns, 5).text);
		out_text(out, " since the first");
	}
	out_text(out, "\n");
}

/* What every table begins with: the share, the time, the calls. */
static void lead(const struct report *report, struct out *out, uint64_t total_ns, uint64_t calls)
{
	if (report->timed)
		number(out, out_percent(total_ns, report->total_ns), 6);
	else
		number(out, out_percent(calls, report->calls), 7);
	if (report->timed)
		number(out, out_time(total_ns, 5), 8);
	number(out, out_count(calls), 9);
}

static void functions(const struct report *report, struct out *out)
{
	if (report->timed)
		out_text(out, "\nTime(%)    Total     Calls Errors NotReady    Avg    Min    p50"
			      "    p99    Max StdDev  Name\n");
	else
		out_text(out, "\nCalls(%)     Calls  Name\n");
	for (size_t i = 0; i < report->nrows; i++) {
		const struct report_row *row = &report->rows[i];

		lead(report, out, row->total_ns, row->calls);
		if (report->timed) {
			number(out, out_count(row->errors), 6);
			number(out, out_count(row->not_ready), 8);
			number(out, out_time(row->avg_ns, 3), 6);
			number(out, out_time(row->min_ns, 3), 6);
			number(out, out_time(row->p50_ns, 3), 6);
			number(out, out_time(row->p99_ns, 3), 6);
			number(out, out_time(row->max_ns, 3), 6);
			number(out, out_time(row->stddev_ns, 3), 6);
		}
		out_spaces(out, 2);
		out_fit(out, row->name, COLUMNS - NAME_COLUMN);
		out_text(out, "\n");
	}
}

/* The first functions of a library or a thread, below its own line. */
static void busiest(const struct report *report, struct out *out,
		    const struct report_row *rows, size_t count)
{
	for (size_t i = 0; i < count && i < TOP; i++) {
		lead(report, out, rows[i].total_ns, rows[i].calls);
		out_spaces(out, 4);
		out_fit(out, rows[i].name, COLUMNS - SHORT_COLUMN - 2);
		out_text(out, "\n");
	}
	if (count > TOP) {
		out_spaces(out, report->timed ? 30 : 22);
		out_text(out, "and ");
		plural(out, count - TOP, "more function");
		out_text(out, "\n");
	}
}

static void libraries(const struct report *report, struct out *out)
{
	out_text(out, report->timed ? "\nTime(%)    Total     Calls  Library\n" :
				      "\nCalls(%)     Calls  Library\n");
	for (size_t i = 0; i < report->nlibraries; i++) {
		const struct report_library *library = &report->libraries[i];

		lead(report, out, library->total_ns, library->calls);
		out_spaces(out, 2);
		out_fit(out, library->path, COLUMNS - SHORT_COLUMN);
		out_text(out, "\n");
		busiest(report, out, library->rows, library->nrows);
	}
}

static void answered(const struct report *report, struct out *out)
{
	if (!report->nanswered)
		return;
	out_text(out, "\n    Calls  Answered by a hook, not by the driver\n");
	for (size_t i = 0; i < report->nanswered; i++) {
		number(out, out_count(report->answered[i].calls), 9);
		out_spaces(out, 2);
		out_fit(out, report->answered[i].name, COLUMNS - SHORT_COLUMN);
		out_text(out, "\n");
	}
}

static void left(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text);

	out_text(out, text);
	if (length < width)
		out_spaces(out, width - length);
}

static void processes(const struct report *report, struct out *out)
{
	uint64_t calls = 0;

	out_text(out, report->timed ? "\nTime(%)    Total     Calls Errors      Pid  Ended           Process\n" :
				      "\nCalls(%)     Calls      Pid  Ended           Process\n");
	for (size_t i = 0; i < report->nprocesses; i++) {
		const struct report_process *process = &report->processes[i];
		const struct cuaudit_stat_header *header = process->header;

		if (i >= PROCESSES) {
			calls += process->calls;
			continue;
		}
		lead(report, out, process->total_ns, process->calls);
		if (report->timed)
			number(out, out_count(process->errors), 6);
		number(out, out_count(header->pid), 8);
		out_spaces(out, 2);
		left(out, report_end_text(process).text, 16);
		out_fit(out, *header->command ? header->command : header->program, 66);
		out_text(out, "\n");
	}
	if (report->nprocesses <= PROCESSES)
		return;
	out_text(out, "  and ");
	plural(out, report->nprocesses - PROCESSES, "more process");
	out_text(out, " with ");
	plural(out, calls, "call");
	out_text(out, "\n");
}

static void threads(const struct report *report, struct out *out)
{
	const struct report_threads *threads = &report->threads;

	if (report->name)
		out_text(out, report->timed ?
			 "\nTime(%)    Total     Calls Errors      Tid  Thread of a process\n" :
			 "\nCalls(%)     Calls      Tid  Thread of a process\n");
	else
		out_text(out, report->timed ? "\nTime(%)    Total     Calls Errors      Tid  Thread\n" :
					      "\nCalls(%)     Calls      Tid  Thread\n");
	for (size_t i = 0; i < threads->count; i++) {
		const struct report_thread *thread = &threads->rows[i];

		lead(report, out, thread->total_ns, thread->calls);
		if (report->timed)
			number(out, out_count(thread->errors), 6);
		number(out, out_count((uint32_t)thread->tid), 8);
		out_spaces(out, 2);
		out_fit(out, thread->name, 32);
		if (report->name) {
			out_text(out, " of ");
			out_u64(out, thread->pid);
		}
		out_text(out, "\n");
		/* Of one thread they are those of the first table. */
		if (threads->count > 1)
			busiest(report, out, thread->rows, thread->nrows);
	}
	if (!threads->nothers)
		return;
	lead(report, out, threads->others.total_ns, threads->others.calls);
	if (report->timed)
		number(out, out_count(threads->others.errors), 6);
	out_spaces(out, 11);
	out_text(out, "(");
	plural(out, threads->nothers, "other thread");
	out_text(out, ")\n");
}

static void by_route(const uint64_t *counts, struct out *out)
{
	for (int i = 0; i < CUAUDIT_ROUTES; i++) {
		out_text(out, i ? ", " : ": ");
		out_u64(out, counts[i]);
		out_text(out, " by ");
		out_text(out, route_names[i]);
	}
	out_text(out, "\n");
}

static void routes(const struct report *report, struct out *out)
{
	const struct cuaudit_stat_routes *routes = report->routes;
	uint64_t bindings = 0;

	out_text(out, "  bound         ");
	if (report->nprocesses <= 1) {
		plural(out, routes->bound, "function");
		by_route(routes->functions, out);
		out_text(out, "                ");
	}
	for (int i = 0; i < CUAUDIT_ROUTES; i++)
		bindings += routes->bindings[i];
	plural(out, bindings, "binding");
	by_route(routes->bindings, out);
}

static void driver(const struct cuaudit_stat_driver *driver, struct out *out)
{
	out_text(out, "  driver        ");
	out_fit(out, driver->path, 70);
	out_text(out, ", ");
	if (driver->version) {
		out_text(out, "version ");
		out_u64(out, driver->version / 1000);
		out_text(out, ".");
		out_u64(out, driver->version % 1000 / 10);
		out_text(out, ", ");
	}
	plural(out, driver->functions, "function");
	if (driver->unrouted) {
		out_text(out, ", not routed: ");
		out_u64(out, driver->unrouted);
	}
	out_text(out, "\n");
}

static void escape(const struct report_escape *given, struct out *out)
{
	const struct cuaudit_stat_escape *escape = given->record;

	out_text(out, "  not routed    ");
	out_fit(out, escape->name, 56);
	if (escape->kind == CUAUDIT_ESCAPE_PROCADDR) {
		out_text(out, ", version ");
		out_u64(out, escape->version);
		out_text(out, ", flags ");
		out_u64(out, escape->flags);
	} else {
		out_text(out, escape_reason(escape->kind));
	}
	if (given->library) {
		out_text(out, ", for ");
		out_fit(out, given->library, 56);
	}
	out_text(out, ", ");
	plural(out, given->count, "time");
	out_text(out, "\n");
}

static void table(const struct report_table *given, struct out *out)
{
	const struct cuaudit_stat_table *table = given->record;

	out_text(out, "  export table  ");
	out_uuid(out, table->uuid);
	if (table->size) {
		out_text(out, ", ");
		plural(out, table->size, "byte");
	}
	if (given->library) {
		out_text(out, ", for ");
		out_fit(out, given->library, 40);
	}
	out_text(out, ", ");
	plural(out, given->count, "time");
	out_text(out, "\n");
}

static void clock_line(const struct report *report, struct out *out)
{
	const struct cuaudit_stat_header *header = report->header;
	uint64_t pair = sum_ns(header, header->clock_pair);

	if (!report->timed) {
		out_text(out, "  clock         none: calls were counted, not timed\n");
		return;
	}
	out_text(out, header->clock_source == CUAUDIT_CLOCK_COUNTER ?
		 "  clock         time-stamp counter, " : "  clock         CLOCK_MONOTONIC, ");
	out_u64(out, header->clock_hz / 1000000);
	out_text(out, " MHz, ");
	if (!header->clock_pair) {
		out_text(out, "too coarse to tell how long a read takes, which is part of every "
			      "time above\n");
		return;
	}
	/* A tick is the least there is, and may be longer than it takes. */
	if (header->clock_pair == 1)
		out_text(out, "at most ");
	out_text(out, pair ? out_time(pair, 3).text : "1ns");
	out_text(out, " between two reads in a row, part of every time above\n");
}

/* A line of what is missing from the tables, if it is not 0. */
static void missing(struct out *out, const char *label, uint64_t count, const char *thing,
		    const char *why)
{
	if (!count)
		return;
	out_text(out, "  ");
	left(out, label, 14);
	plural(out, count, thing);
	out_text(out, why);
	out_text(out, "\n");
}

static void not_routed(const struct report *report, struct out *out)
{
	if (report->unknown && report->nprocesses > 1)
		missing(out, "not routed", report->unknown, "process",
			": not known, nor calls not hooked; did not end by exit()");
	else if (report->unknown)
		out_text(out, "  not routed    not known: the process did not come to its end\n");
	else if (!report->nescapes)
		out_text(out, "  not routed    nothing\n");
	for (size_t i = 0; i < report->nescapes; i++)
		escape(&report->escapes[i], out);
}

static void coverage(const struct report *report, struct out *out)
{
	out_text(out, "\nCoverage\n");
	for (size_t i = 0; i < report->ndrivers; i++)
		driver(report->drivers[i], out);
	if (report->routes)
		routes(report, out);
	not_routed(report, out);
	for (size_t i = 0; i < report->ntables; i++)
		table(&report->tables[i], out);
	missing(out, "not hooked", report->unhooked, "call",
		" made while a hook ran: by a signal handler, or by the hook; not counted above");
	missing(out, "unwound", report->unwound, "call",
		" left by longjmp or an exception; not counted above");
	missing(out, "not counted", report->lost, "call",
		": no memory for them, or of a child by a bare clone()");
	missing(out, "not saved", report->partial, "process",
		" whose calls are not all above: the file could not grow");
	missing(out, "damaged", report->damaged, "part", " of what was saved");
	clock_line(report, out);
}

void report_text(const struct report *report, struct out *out)
{
	title(report, out);
	functions(report, out);
	answered(report, out);
	libraries(report, out);
	if (report->name)
		processes(report, out);
	threads(report, out);
	coverage(report, out);
}
