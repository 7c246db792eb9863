/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing from traces, and the calls that had not ended. */
#include <string.h>

#include "analysis/summary_page.h"

static const char *const losses[CUAUDIT_TRACE_LOSSES] = {
	[CUAUDIT_TRACE_LOST_SIZE] = "the file had its full size",
	[CUAUDIT_TRACE_LOST_DISK] = "the disk was full, or failed",
	[CUAUDIT_TRACE_LOST_MEMORY] = "no memory, or too many threads",
	[CUAUDIT_TRACE_LOST_NESTED] = "made by a signal handler while a record was written",
	[CUAUDIT_TRACE_LOST_RING] = "written over by later ones",
	[CUAUDIT_TRACE_LOST_UNWOUND] = "a signal handler left the hook by siglongjmp"
};

/* One line: a word, what of it, and of how many processes if there are more than one. */
static void begin(const struct page *page, const char *word)
{
	out_text(page->out, page->print->colour ? "\033[33m  " : "  ");
	out_text(page->out, word);
	out_spaces(page->out, 14 - strlen(word));
}

static void end(const struct page *page, uint64_t processes)
{
	if (processes && page->summary->nprocesses > 1) {
		out_text(page->out, " (");
		page_plural(page, processes, "process", "processes");
		out_text(page->out, ")");
	}
	out_text(page->out, page->print->colour ? "\033[0m\n" : "\n");
}

static void count_note(const struct page *page, const char *word, uint64_t count,
		       uint64_t processes, const char *thing, const char *plural, const char *why)
{
	if (!count)
		return;
	begin(page, word);
	page_plural(page, count, thing, plural);
	out_text(page->out, why);
	end(page, processes);
}

static void lost(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		uint64_t count = 0, processes = 0;

		for (size_t j = 0; j < summary->nprocesses; j++) {
			count += summary->processes[j].lost[i];
			processes += summary->processes[j].lost[i] != 0;
		}
		if (!count)
			continue;
		begin(page, "missing");
		page_plural(page, count, "call: ", "calls: ");
		out_text(page->out, losses[i] ? losses[i] : "why is not known to this cuaudit");
		end(page, processes);
	}
}

static void disks(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (!process->error)
			continue;
		begin(page, "disk");
		out_text(page->out, process->error < 4096 ? strerror((int)process->error) :
							    "an error that is none");
		out_text(page->out, ": ");
		page_process(page, (uint32_t)i);
		end(page, 0);
	}
}

struct sums {
	uint64_t endings[TRACE_ENDINGS], damaged, torn, cut, filtered, steps;
	uint64_t damaged_in, torn_in, cut_in, filtered_in, steps_in;	/* processes */
};

static struct sums add_up(const struct summary *summary)
{
	struct sums sums = { .damaged = 0 };

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (process->fault)
			continue;
		sums.endings[process->ending]++;
		sums.damaged += process->damaged;
		sums.damaged_in += process->damaged != 0;
		sums.torn += process->torn;
		sums.torn_in += process->torn != 0;
		sums.cut += process->cut;
		sums.cut_in += process->cut != 0;
		sums.steps += process->steps;
		sums.steps_in += process->steps != 0;
		sums.filtered += process->filtered;
		sums.filtered_in += process->filtered != 0;
	}
	return sums;
}

static void open_calls(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->nopen)
		return;
	page_heading(page, "     For      Tid  Calls that had not ended");
	for (size_t i = 0; i < page_rows(page, summary->nopen); i++) {
		const struct summary_open *open = &summary->open[i];

		page_number(page, out_time(open->for_ns, 5), 8);
		page_number(page, out_count((uint32_t)open->tid), 8);
		out_spaces(page->out, 2);
		out_fit(page->out, summary->functions[open->function].name, 60);
		out_text(page->out, ", ");
		page_process(page, open->process);
		out_text(page->out, "\n");
	}
	page_more(page, summary->nopen, "call", "calls");
}

/* How processes ended of which that is known, but those that all went well with. */
static void statuses(const struct page *page)
{
	static const char *const endings[] = { [TRACE_ENDED] = "exit", [TRACE_QUIT] = "_exit" };
	uint64_t counts[TRACE_QUIT + 1][UINT8_MAX + 1] = { { 0 } };
	const struct summary *summary = page->summary;

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (!process->fault && process->status >= 0 && process->ending <= TRACE_QUIT)
			counts[process->ending][process->status]++;
	}
	counts[TRACE_ENDED][0] = 0;
	for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0][0]); i++) {
		uint64_t count = counts[i / (UINT8_MAX + 1)][i % (UINT8_MAX + 1)];

		if (!count)
			continue;
		begin(page, "ended by");
		out_text(page->out, endings[i / (UINT8_MAX + 1)]);
		out_text(page->out, ", status ");
		out_u64(page->out, i % (UINT8_MAX + 1));
		end(page, count);
	}
}

void notes_text(const struct page *page)
{
	struct sums sums = add_up(page->summary);

	statuses(page);
	for (uint32_t i = TRACE_RUNS; i < TRACE_ENDINGS; i++) {
		if (!sums.endings[i])
			continue;
		begin(page, "not finished");
		out_text(page->out, trace_ending_text(i));
		end(page, sums.endings[i]);
	}
	lost(page);
	disks(page);
	count_note(page, "damaged", sums.damaged, sums.damaged_in, "part", "parts",
		   " of the file left out");
	count_note(page, "torn", sums.torn, sums.torn_in, "byte", "bytes",
		   " at the file's end are no whole chunk");
	count_note(page, "cut short", sums.cut, sums.cut_in, "byte", "bytes", " of the file are missing");
	count_note(page, "clock", sums.steps, sums.steps_in, "time", "times",
		   " the time of day was set; times are by the clock of the start");
	count_note(page, "not recorded", sums.filtered, sums.filtered_in, "call", "calls",
		   " shorter than min-duration");
	open_calls(page);
}
