/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as tables for people. */
#include <string.h>

#include "analysis/callers.h"
#include "analysis/summary_page.h"

enum { TIMES_COLUMN = 93 };	/* where names begin in tables with all times */

static void times(const struct page *page, const struct row_times *times)
{
	page_row(page, page_times, times);
	out_spaces(page->out, 2);
}

static void functions(const struct page *page)
{
	const struct summary *summary = page->summary;
	size_t count = summary_called(summary);

	page_columns(page, page_times, "Calls", "  Name");
	PAGE_EACH(page, i, count, "function") {
		times(page, &summary->functions[i].times);
		page_name(page, summary->functions[i].name, TIMES_COLUMN);
	}
}

static void share(const struct page *page, const void *row, uint32_t function)
{
	page_share(page, row, page->summary->functions[function].name);
}

static void libraries(const struct page *page)
{
	const struct summary *summary = page->summary;
	size_t count = summary_called_from(summary);

	page_columns(page, page_lead, "Calls", "  Library");
	PAGE_EACH(page, i, count, "library") {
		const struct summary_library *library = &summary->libraries[i];

		page_row(page, page_lead, &library->times);
		out_spaces(page->out, 2);
		page_name(page, library->path, PAGE_LEAD);
		for (size_t j = 0; j < library->npairs && j < ROW_BUSIEST; j++)
			share(page, &library->pairs[j].times, library->pairs[j].function);
		page_rest(page, library->npairs);
	}
}

static void callers(const struct page *page)
{
	const struct summary *summary = page->summary;

	page_columns(page, page_times, "Calls", "  Name, caller");
	PAGE_EACH(page, i, summary->ncallers, "caller") {
		const struct summary_caller *caller = &summary->callers[i];

		times(page, &caller->times);
		out_fit(page->out, summary->functions[caller->function].name, 40);
		out_text(page->out, ", ");
		callers_text(summary, caller, page->out);
		out_text(page->out, "\n");
	}
}

static void kernels(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->nkernels) {
		out_text(page->out, "\nKernels: not known; no launch was recorded with its arguments\n");
		return;
	}
	page_columns(page, page_times, "Launches", "  Kernel (host time)");
	PAGE_EACH(page, i, summary->nkernels, "kernel") {
		const char *name = summary->kernels[i].name;

		times(page, &summary->kernels[i].times);
		page_name(page, name ? name : "(unknown)", TIMES_COLUMN);
	}
}

static void ranges(const struct page *page)
{
	const struct summary *summary = page->summary;

	page_columns(page, page_times, "Calls", "  NVTX range, the innermost of a call");
	PAGE_EACH(page, i, summary->nranges, "range") {
		const char *text = summary->ranges[i].text;

		times(page, &summary->ranges[i].times);
		page_name(page, text ? *text ? text : "(no name)" : "(outside of all)", TIMES_COLUMN);
	}
}

static void threads(const struct page *page)
{
	const struct summary *summary = page->summary;

	page_columns(page, page_counts, "Calls", summary->nprocesses > 1 ?
		     "      Tid  Thread, process" : "      Tid  Thread");
	for (size_t i = 0; i < summary->nthreads; i++) {
		const struct summary_thread *thread = &summary->threads[i];

		page_thread(page, &thread->counts, thread->tid,
			    *thread->name ? thread->name : "(no name)");
		if (summary->nprocesses > 1) {
			out_text(page->out, ", ");
			page_process(page, thread->process);
		}
		out_text(page->out, "\n");
		if (summary->nthreads + summary->nothers == 1)
			continue;
		for (size_t j = 0; j < thread->nfunctions && j < ROW_BUSIEST; j++)
			share(page, &thread->functions[j].counts, thread->functions[j].function);
		page_rest(page, thread->nfunctions);
	}
	page_others(page, &summary->others, summary->nothers);
}

static void rank_number(const struct page *page, int32_t rank, size_t width)
{
	out_right(page->out, rank < 0 ? "-" : out_count((uint64_t)rank).text, width);
}

static void peak(const struct page *page, uint64_t bytes, bool known)
{
	out_right(page->out, known ? summary_size(bytes).text : "-", 8);
}

static void processes(const struct page *page)
{
	const struct summary *summary = page->summary;

	page_columns(page, page_counts, "Calls",
		     "     Span Threads     Peak  Rank      Pid  Host, program");
	PAGE_EACH(page, i, summary->nprocesses, "process") {
		const struct summary_process *process = &summary->processes[i];

		if (process->fault)
			continue;
		page_row(page, page_counts, &process->counts);
		page_number(page, out_time(process->last_ns - process->first_ns, 5), 8);
		page_number(page, out_count(process->nthreads), 7);
		peak(page, process->memory.device.peak, process->memory.known);
		rank_number(page, process->rank, 5);
		page_number(page, out_count(process->pid), 8);
		out_spaces(page->out, 2);
		out_fit(page->out, process->host, 32);
		out_text(page->out, ", ");
		page_name(page, page_component(process->program), 110);
	}
}

static void ranks(const struct page *page)
{
	const struct summary *summary = page->summary;

	page_columns(page, page_counts, "Calls", "     Span Threads     Peak  Processes   Rank");
	PAGE_EACH(page, i, summary->nranks, "rank") {
		const struct summary_rank *rank = &summary->ranks[i];

		page_row(page, page_counts, &rank->counts);
		page_number(page, out_time(rank->last_ns - rank->first_ns, 5), 8);
		page_number(page, out_count(rank->nthreads), 7);
		peak(page, rank->peak, rank->peak);
		page_number(page, out_count(rank->nprocesses), 10);
		rank_number(page, rank->rank, 6);
		out_text(page->out, "\n");
	}
}

static void errors(const struct page *page)
{
	if (page->summary->errors.count)
		error_rows_text(page, &page->summary->errors);
	else
		out_text(page->out, "\nErrors: none\n");
}

static void add_span(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->counts.calls)
		return;
	out_text(page->out, ", ");
	out_text(page->out, out_time(summary->last_ns - summary->first_ns, 5).text);
	out_text(page->out, " from the first to the last");
}

/* Of files that could be read. */
static uint32_t only_process(const struct summary *summary)
{
	uint32_t i = 0;

	while (summary->processes[i].fault)
		i++;
	return i;
}

static void title(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint64_t count = summary->nprocesses - summary->faults;

	out_text(page->out, "cuaudit: ");
	if (count == 1) {
		page_process(page, only_process(summary));
	} else {
		page_plural(page, count, "process");
		if (summary->nranks > 1 && summary->nranked) {
			out_text(page->out, " of ");
			page_plural(page, summary->nranked, "rank");
		}
	}
	out_text(page->out, ": ");
	page_plural(page, summary->counts.calls, summary->failed ? "failed call" : "call");
	out_text(page->out, " of ");
	page_plural(page, summary_called(summary),
		    summary_has_runtime(summary) ? "function" : "driver function");
	out_text(page->out, " on ");
	page_plural(page, summary->nthreads + summary->nothers, "thread");
	out_text(page->out, ", ");
	out_text(page->out, out_time(summary->counts.total, 5).text);
	out_text(page->out, " in them");
	add_span(page);
	out_text(page->out, "\n");
}

static void (*const printers[SUMMARY_TABLES])(const struct page *page) = {
	[SUMMARY_BY_FUNCTION] = functions,
	[SUMMARY_BY_LIBRARY] = libraries,
	[SUMMARY_BY_TREE] = tree_text,
	[SUMMARY_BY_CALLER] = callers,
	[SUMMARY_BY_KERNEL] = kernels,
	[SUMMARY_BY_RANGE] = ranges,
	[SUMMARY_BY_COPY] = copies_text,
	[SUMMARY_BY_WAIT] = waits_text,
	[SUMMARY_BY_THREAD] = threads,
	[SUMMARY_BY_PROCESS] = processes,
	[SUMMARY_BY_RANK] = ranks,
	[SUMMARY_BY_ERROR] = errors,
	[SUMMARY_BY_MEMORY] = memory_text
};

const char *const summary_tables[SUMMARY_TABLES] = {
#define TABLE(name, text) [SUMMARY_BY_##name] = text,
#include "analysis/tables.def"
};

/* Tables that say something others do not. */
static unsigned int fitting(const struct summary *summary)
{
	unsigned int tables = 1u << SUMMARY_BY_FUNCTION | 1u << SUMMARY_BY_LIBRARY |
			      1u << SUMMARY_BY_THREAD;

	if (!summary->chosen)
		tables |= 1u << SUMMARY_BY_MEMORY;

	if (summary_has_runtime(summary))
		tables |= 1u << SUMMARY_BY_TREE;
	if (summary->nkernels)
		tables |= 1u << SUMMARY_BY_KERNEL;
	if (summary->ncopies)
		tables |= 1u << SUMMARY_BY_COPY;
	if (summary->nwaits)
		tables |= 1u << SUMMARY_BY_WAIT;
	if (summary->nprocesses > 1)
		tables |= 1u << SUMMARY_BY_PROCESS;
	if (summary->nranks > 1)
		tables |= 1u << SUMMARY_BY_RANK;
	if (summary->errors.count)
		tables |= 1u << SUMMARY_BY_ERROR;
	return tables;
}

void summary_text(const struct summary *summary, const struct summary_print *print,
		  struct out *out)
{
	const struct page page = page_of(summary, print, out);
	unsigned int tables = print->tables ? print->tables : fitting(summary);

	if (summary->faults == summary->nprocesses)
		return;
	title(&page);
	notes_text(&page);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (tables >> i & 1)
			printers[i](&page);
	if (print->bars)
		bars_text(&page);
}
