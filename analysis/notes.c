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
	out_text(page->out, page->colour ? "\033[33m  " : "  ");
	out_left(page->out, word, 14);
}

static void end(const struct page *page, uint64_t processes)
{
	if (processes && page->summary->nprocesses > 1) {
		out_text(page->out, " (");
		page_plural(page, processes, "process");
		out_text(page->out, ")");
	}
	out_text(page->out, page->colour ? "\033[0m\n" : "\n");
}

static void note(const struct page *page, const char *word, struct summary_loss loss,
		 const char *thing, const char *why)
{
	if (!loss.count)
		return;
	begin(page, word);
	page_plural(page, loss.count, thing);
	out_text(page->out, why);
	end(page, loss.processes);
}

static void lost(const struct page *page, const struct summary_losses *sums)
{
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		if (!sums->lost[i].count)
			continue;
		begin(page, "missing");
		page_plural(page, sums->lost[i].count, "call");
		out_text(page->out, ": ");
		out_text(page->out, losses[i] ? losses[i] : "why is not known to this cuaudit");
		end(page, sums->lost[i].processes);
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

static void add(struct summary_loss *loss, uint64_t count)
{
	loss->count += count;
	loss->processes += count != 0;
}

struct summary_losses summary_losses(const struct summary *summary)
{
	struct summary_losses sums = { .endings = { 0 } };

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (process->fault)
			continue;
		sums.endings[process->ending]++;
		add(&sums.damaged, process->losses.damaged);
		add(&sums.torn, process->losses.torn);
		add(&sums.cut, process->losses.cut);
		add(&sums.filtered, process->filtered);
		add(&sums.steps, process->steps);
		for (int j = 0; j < CUAUDIT_TRACE_LOSSES; j++)
			add(&sums.lost[j], process->losses.calls[j]);
		sums.no_python += process->no_python != NULL;
		if (!sums.why_no_python)
			sums.why_no_python = process->no_python;
	}
	return sums;
}

static void open_calls(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->nopen)
		return;
	page_heading(page, "     For      Tid  Calls that had not ended");
	PAGE_EACH(page, i, summary->nopen, "call") {
		const struct summary_open *open = &summary->open[i];

		page_number(page, out_time(open->for_ns, 5), 8);
		page_number(page, out_count((uint32_t)open->tid), 8);
		out_spaces(page->out, 2);
		out_fit(page->out, summary->functions[open->function].name, 60);
		out_text(page->out, ", ");
		page_process(page, open->process);
		out_text(page->out, "\n");
	}
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
	const struct summary_losses sums = summary_losses(page->summary);

	statuses(page);
	for (uint32_t i = TRACE_RUNS; i < TRACE_ENDINGS; i++) {
		if (!sums.endings[i])
			continue;
		begin(page, "not finished");
		out_text(page->out, trace_ending_text(i));
		end(page, sums.endings[i]);
	}
	lost(page, &sums);
	disks(page);
	note(page, "damaged", sums.damaged, "part", " of the file left out");
	note(page, "torn", sums.torn, "byte", " at the file's end are no whole chunk");
	note(page, "cut short", sums.cut, "byte", " of the file are missing");
	note(page, "clock", sums.steps, "time",
	     " the time of day was set; times are by the clock of the start");
	note(page, "not recorded", sums.filtered, "call", " left out by min-duration or failed");
	if (sums.no_python) {
		begin(page, "no Python");
		out_fit(page->out, sums.why_no_python, 200);
		end(page, sums.no_python);
	}
	open_calls(page);
}
