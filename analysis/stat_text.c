/* SPDX-License-Identifier: Apache-2.0 */
/* A report as tables for people, 132 columns wide. */
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>

#include "analysis/escape_kind.h"
#include "analysis/stat_report.h"
#include "analysis/text_page.h"

enum {
	COLUMNS = 133,
	PROCESSES = 200		/* with a line of their own */
};

const char *const report_route_names[] = {
	[CUAUDIT_ROUTE_PLT] = "PLT",
	[CUAUDIT_ROUTE_DLSYM] = "dlsym",
	[CUAUDIT_ROUTE_RELOCATION] = "relocation",
	[CUAUDIT_ROUTE_PROCADDR] = "procaddr"
};

_Static_assert(sizeof(report_route_names) / sizeof(report_route_names[0]) == CUAUDIT_ROUTES,
	       "a name each");

static void processes_of(const struct report *report, const struct page *page)
{
	out_fit(page->out, report->name, 48);
	out_text(page->out, ": ");
	if (report->nruns > 1) {
		page_plural(page, report->nruns, "run");
		out_text(page->out, ", ");
	}
	page_plural(page, report->nprocesses, "process");
	out_text(page->out, ", ");
}

static void title(const struct report *report, const struct page *page)
{
	struct out *out = page->out;

	out_text(out, "cuaudit: ");
	if (report->name) {
		processes_of(report, page);
	} else {
		out_fit(out, page_component(report->header->program), 48);
		out_text(out, " (pid ");
		out_u64(out, report->header->pid);
		out_text(out, "): ");
	}
	page_plural(page, report->counts.calls, "call");
	out_text(out, " of ");
	page_plural(page, report->nrows, "driver function");
	if (report->timed) {
		out_text(out, ", ");
		out_text(out, out_time(report->counts.total, 5).text);
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

static void functions(const struct report *report, const struct page *page)
{
	static const uint8_t columns[] = {
		ROW_TOTAL, ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_AVG, ROW_MIN, ROW_P50, ROW_P99,
		ROW_MAX, ROW_STDDEV, ROW_END
	};

	page_columns(page, columns, "Calls", "  Name");
	for (size_t i = 0; i < report->nrows; i++) {
		page_row(page, columns, &report->rows[i].times);
		out_spaces(page->out, 2);
		page_name(page, report->rows[i].name, 86);
	}
}

/* The first functions of a library or a thread, below its own line. */
static void busiest(const struct page *page, const struct report_row *rows, size_t count)
{
	for (size_t i = 0; i < count && i < ROW_BUSIEST; i++)
		page_share(page, &rows[i].times, rows[i].name);
	page_rest(page, count);
}

static void libraries(const struct report *report, const struct page *page)
{
	page_columns(page, page_lead, "Calls", "  Library");
	for (size_t i = 0; i < report->nlibraries; i++) {
		const struct report_library *library = &report->libraries[i];

		page_row(page, page_lead, &library->counts);
		out_spaces(page->out, 2);
		page_name(page, library->path, PAGE_LEAD);
		busiest(page, library->rows, library->nrows);
	}
}

static void answered(const struct report *report, const struct page *page)
{
	if (!report->nanswered)
		return;
	page_heading(page, "    Calls  Answered by a hook, not by the driver");
	for (size_t i = 0; i < report->nanswered; i++) {
		page_number(page, out_count(report->answered[i].calls), 9);
		out_spaces(page->out, 2);
		page_name(page, report->answered[i].name, PAGE_LEAD);
	}
}

static void processes(const struct report *report, const struct page *page)
{
	uint64_t calls = 0;

	page_columns(page, page_counts, "Calls", "      Pid  Ended           Process");
	for (size_t i = 0; i < report->nprocesses; i++) {
		const struct report_process *process = &report->processes[i];
		const struct cuaudit_stat_header *header = process->header;

		if (i >= PROCESSES) {
			calls += process->counts.calls;
			continue;
		}
		page_row(page, page_counts, &process->counts);
		page_number(page, out_count(header->pid), 8);
		out_spaces(page->out, 2);
		out_left(page->out, report_end_text(process).text, 16);
		out_fit(page->out, *header->command ? header->command : header->program, 66);
		out_text(page->out, "\n");
	}
	if (report->nprocesses <= PROCESSES)
		return;
	out_text(page->out, "  and ");
	page_plural(page, report->nprocesses - PROCESSES, "more process");
	out_text(page->out, " with ");
	page_plural(page, calls, "call");
	out_text(page->out, "\n");
}

static void threads(const struct report *report, const struct page *page)
{
	const struct report_threads *threads = &report->threads;

	page_columns(page, page_counts, "Calls", report->name ? "      Tid  Thread of a process" :
							       "      Tid  Thread");
	for (size_t i = 0; i < threads->count; i++) {
		const struct report_thread *thread = &threads->rows[i];

		page_thread(page, &thread->counts, thread->tid, thread->name);
		if (report->name) {
			out_text(page->out, " of ");
			out_u64(page->out, thread->pid);
		}
		out_text(page->out, "\n");
		/* Of one thread they are those of the first table. */
		if (threads->count > 1)
			busiest(page, thread->rows, thread->nrows);
	}
	page_others(page, &threads->others.counts, threads->nothers);
}

static void by_route(const uint64_t *counts, struct out *out)
{
	for (int i = 0; i < CUAUDIT_ROUTES; i++) {
		out_text(out, i ? ", " : ": ");
		out_u64(out, counts[i]);
		out_text(out, " by ");
		out_text(out, report_route_names[i]);
	}
	out_text(out, "\n");
}

static void routes(const struct report *report, const struct page *page)
{
	struct out *out = page->out;
	const struct cuaudit_stat_routes *routes = report->routes;
	uint64_t bindings = 0;

	out_text(out, "  bound         ");
	if (report->nprocesses <= 1) {
		page_plural(page, routes->bound, "function");
		by_route(routes->functions, out);
		out_text(out, "                ");
	}
	for (int i = 0; i < CUAUDIT_ROUTES; i++)
		bindings += routes->bindings[i];
	page_plural(page, bindings, "binding");
	by_route(routes->bindings, out);
}

static void driver(const struct cuaudit_stat_driver *driver, const struct page *page)
{
	struct out *out = page->out;

	out_text(out, stat_is_provider(driver) ? "  library       " : "  driver        ");
	out_fit(out, driver->path, 70);
	out_text(out, ", ");
	if (driver->version) {
		out_text(out, "version ");
		out_u64(out, driver->version / 1000);
		out_text(out, ".");
		out_u64(out, driver->version % 1000 / 10);
		out_text(out, ", ");
	}
	page_plural(page, driver->functions, "function");
	if (driver->without_slot) {
		out_text(out, ", without a slot: ");
		out_u64(out, driver->without_slot);
	}
	out_text(out, "\n");
}

/* Who asked for it, and how often. */
static void asked(const struct report_found *given, const struct page *page, size_t width)
{
	if (given->library) {
		out_text(page->out, ", for ");
		out_fit(page->out, given->library, width);
	}
	out_text(page->out, ", ");
	page_plural(page, given->count, "time");
	out_text(page->out, "\n");
}

static void escape(const struct report_found *given, const struct page *page)
{
	struct out *out = page->out;
	const struct cuaudit_stat_escape *escape = given->escape;

	out_text(out, "  escapes       ");
	out_fit(out, escape->name, 56);
	if (escape->kind == CUAUDIT_ESCAPE_PROCADDR) {
		out_text(out, ", version ");
		out_u64(out, escape->version);
		out_text(out, ", flags ");
		out_u64(out, escape->flags);
	} else {
		out_text(out, escape_reason(escape->kind));
	}
	asked(given, page, 56);
}

static void table(const struct report_found *given, const struct page *page)
{
	struct out *out = page->out;
	const struct cuaudit_stat_table *table = given->table;

	out_text(out, "  export table  ");
	out_uuid(out, table->uuid);
	if (table->size) {
		out_text(out, ", ");
		page_plural(page, table->size, "byte");
	}
	asked(given, page, 40);
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
static void missing(const struct page *page, const char *label, uint64_t count, const char *thing,
		    const char *why)
{
	if (!count)
		return;
	out_text(page->out, "  ");
	out_left(page->out, label, 14);
	page_plural(page, count, thing);
	out_text(page->out, why);
	out_text(page->out, "\n");
}

static void page_escapes(const struct report *report, const struct page *page)
{
	if (report->unknown && report->nprocesses > 1)
		missing(page, "escapes", report->unknown, "process",
			": not known, nor calls not hooked; did not end by exit()");
	else if (report->unknown)
		out_text(page->out, "  escapes       not known: the process did not come to its end\n");
	else if (!report->nescapes)
		out_text(page->out, "  escapes       none\n");
	for (size_t i = 0; i < report->nescapes; i++)
		escape(&report->escapes[i], page);
}

static void coverage(const struct report *report, const struct page *page)
{
	out_text(page->out, "\nCoverage\n");
	for (size_t i = 0; i < report->ndrivers; i++)
		driver(report->drivers[i], page);
	if (report->routes)
		routes(report, page);
	page_escapes(report, page);
	for (size_t i = 0; i < report->ntables; i++)
		table(&report->tables[i], page);
	missing(page, "not hooked", report->unhooked, "call",
		" made while a hook ran, with an unaligned stack, or without memory for their thread; "
		"not counted above");
	missing(page, "unwound", report->unwound, "call",
		" left by longjmp or an exception; not counted above");
	missing(page, "not counted", report->lost, "call",
		": no memory for them, or of a child by a bare clone()");
	missing(page, "not saved", report->partial, "process",
		" whose calls are not all above: the file could not grow");
	missing(page, "damaged", report->damaged, "part", " of what was saved");
	clock_line(report, page->out);
}

void report_text(const struct report *report, struct out *out)
{
	const struct page page = {
		.out = out, .whole = &report->counts, .timed = report->timed, .columns = COLUMNS
	};

	title(report, &page);
	functions(report, &page);
	if (report->errors.count)
		error_rows_text(&page, &report->errors);
	answered(report, &page);
	libraries(report, &page);
	if (report->name)
		processes(report, &page);
	threads(report, &page);
	coverage(report, &page);
}
