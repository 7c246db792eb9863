/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a summary, and what is to be told beside them. */
#include "export/html/page_tables.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/callers.h"
#include "analysis/summary_page.h"
#include "export/html/page.h"
#include "util/buffer.h"

/* Columns are "KIND Title" each; kinds are the script's. */
struct table {
	const char *id, *title;
	const char *const *before;	/* columns */
	const uint8_t *figures;		/* of the row model, NULL: none */
	const char *calls;		/* what its calls are called */
	const char *const *after;	/* NULL: none */
	void (*row)(struct writer *json, const struct summary *summary, size_t i);
	bool (*empty)(const struct summary *summary, size_t i);	/* NULL: none is */
};

#define TEXTS(...) (const char *const[]){ __VA_ARGS__, NULL }

static const uint8_t times[] = {
	ROW_TOTAL, ROW_CALLS, ROW_ERRORS, ROW_AVG, ROW_MIN, ROW_P50, ROW_P90, ROW_P99, ROW_MAX,
	ROW_STDDEV, ROW_END
};
static const uint8_t counts[] = { ROW_TOTAL, ROW_CALLS, ROW_ERRORS, ROW_END };

static void texts(struct writer *json, const char *const *text)
{
	for (; text && *text; text++)
		writer_text(json, NULL, *text);
}

static void headings(struct writer *json, const struct table *table)
{
	char text[64];

	texts(json, table->before);
	for (const uint8_t *at = table->figures; at && *at; at++) {
		snprintf(text, sizeof(text), "%s %s", row_columns[*at].kind,
			 *at == ROW_CALLS ? table->calls : row_columns[*at].title);
		writer_text(json, NULL, text);
	}
	texts(json, table->after);
}

/* cut: rows that there are beside count. */
static void put(struct writer *json, const struct table *table, const struct summary *summary,
		size_t count, size_t cut)
{
	writer_begin(json, NULL, '{');
	writer_text(json, "id", table->id);
	writer_text(json, "title", table->title);
	writer_begin(json, "columns", '[');
	headings(json, table);
	writer_end(json, ']');
	WRITER_ARRAY(json, "rows", i, count < PAGE_ROWS ? count : PAGE_ROWS) {
		if (table->empty && table->empty(summary, i))
			continue;
		writer_begin(json, NULL, '[');
		table->row(json, summary, i);
		writer_end(json, ']');
	}
	writer_number(json, "cut", cut + (count > PAGE_ROWS ? count - PAGE_ROWS : 0));
	writer_end(json, '}');
}

static const char *process_name(const struct summary_process *process, char *text, size_t size)
{
	snprintf(text, size, "%s (%u)", page_component(process->program ? process->program : ""),
		 process->pid);
	return text;
}

static void figures(struct writer *json, const uint8_t *columns, const void *row)
{
	for (; *columns; columns++)
		writer_number(json, NULL, row_figure(row, *columns));
}

/* A row of one or two texts and all times. */
static void row_of(struct writer *json, const char *first, const char *second,
		   const struct row_times *row)
{
	writer_text(json, NULL, first);
	if (second)
		writer_text(json, NULL, second);
	figures(json, times, row);
}

static void function(struct writer *json, const struct summary *summary, size_t i)
{
	writer_text(json, NULL, summary->functions[i].name);
	figures(json, times, &summary->functions[i].times);
	writer_number(json, NULL, summary->functions[i].times.not_ready);
}

static void library(struct writer *json, const struct summary *summary, size_t i)
{
	row_of(json, summary->libraries[i].path, NULL, &summary->libraries[i].times);
}

static void caller(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_caller *caller = &summary->callers[i];
	struct out text = { 0 };

	callers_text(summary, caller, &text);
	out_bytes(&text, "", 1);
	json->out->error = json->out->error ?: text.error;
	row_of(json, text.error ? "" : text.data, summary->functions[caller->function].name,
	       &caller->times);
	out_free(&text);
}

static void kernel(struct writer *json, const struct summary *summary, size_t i)
{
	row_of(json, summary->kernels[i].name, NULL, &summary->kernels[i].times);
}

static void range(struct writer *json, const struct summary *summary, size_t i)
{
	const char *text = summary->ranges[i].text;

	row_of(json, !text ? "(outside of all)" : *text ? text : "(no name)", NULL,
	       &summary->ranges[i].times);
}

/* Without any range all calls are outside of them. */
static size_t ranges_there(const struct summary *summary)
{
	return summary->nranges == 1 && !summary->ranges[0].text ? 0 : summary->nranges;
}

static bool no_copies(const struct summary *summary, size_t i)
{
	return !summary->copies[i / 2][i % 2].counts.calls;
}

/* Bytes by the host's time say something of those alone that the call waits for. */
static void copy(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_copies *copies = &summary->copies[i / 2][i % 2];
	char rate[32] = "";

	if (i % 2 && copies->sized_ns)
		snprintf(rate, sizeof(rate), "%.2f",
			 (double)copies->bytes / (double)copies->sized_ns);
	writer_text(json, NULL, copy_labels[i / 2]);
	writer_text(json, NULL, i % 2 ? "waits" : "does not wait");
	writer_number(json, NULL, copies->bytes);
	writer_text(json, NULL, rate);
	writer_number(json, NULL, copies->counts.total);
	writer_number(json, NULL, copies->counts.calls);
	writer_number(json, NULL, copies->unsized);
}

static void wait_of(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_pair *pair = summary->waits[i];

	row_of(json, summary->libraries[pair->library].path,
	       summary->functions[pair->function].name, &pair->times);
}

static void thread(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_thread *thread = &summary->threads[i];
	char name[PATH_MAX + 32];

	writer_text(json, NULL, thread->name);
	writer_signed(json, NULL, thread->tid);
	writer_text(json, NULL,
		    process_name(&summary->processes[thread->process], name, sizeof(name)));
	figures(json, counts, &thread->counts);
	writer_text(json, NULL, !thread->nfunctions ? NULL :
		    summary->functions[thread->functions[0].function].name);
}

static const char *ending(const struct summary_process *process, char *buffer, size_t size)
{
	if (process->fault)
		return process->fault;
	if (process->status < 0 || process->ending > TRACE_QUIT)
		return trace_ending_text(process->ending);
	snprintf(buffer, size, "%s, status %d", trace_ending_text(process->ending),
		 process->status);
	return buffer;
}

static void process(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_process *process = &summary->processes[i];
	const struct summary_bytes *device = &process->memory.device;
	char name[PATH_MAX + 32], state[64];

	writer_text(json, NULL, process->fault ? process->path :
		    process_name(process, name, sizeof(name)));
	writer_signed(json, NULL, process->fault ? -1 : process->rank);
	writer_text(json, NULL, process->host);
	figures(json, counts, &process->counts);
	writer_number(json, NULL, process->nthreads);
	writer_number(json, NULL, process->last_ns - process->first_ns);
	writer_signed(json, NULL, process->memory.known ? (int64_t)device->peak : -1);
	writer_signed(json, NULL, process->memory.known ? (int64_t)device->held : -1);
	writer_text(json, NULL, ending(process, state, sizeof(state)));
	writer_text(json, NULL, process->command);
}

static void rank(struct writer *json, const struct summary *summary, size_t i)
{
	const struct summary_rank *rank = &summary->ranks[i];

	writer_signed(json, NULL, rank->rank);
	figures(json, counts, &rank->counts);
	writer_number(json, NULL, rank->nprocesses);
	writer_number(json, NULL, rank->nthreads);
	writer_number(json, NULL, rank->last_ns - rank->first_ns);
	writer_number(json, NULL, rank->peak);
}

static void error(struct writer *json, const struct summary *summary, size_t i)
{
	const struct error_row *row = &summary->errors.rows[i];
	struct buffer out;
	char text[ERROR_TEXT], caller[ERROR_CALLER_TEXT];
	char all[ERROR_CALLERS * (ERROR_CALLER_TEXT + 32)];

	writer_text(json, NULL, row->function);
	writer_text(json, NULL, error_result_text(text, row));
	writer_number(json, NULL, row->count);
	out = (struct buffer){ all, sizeof(all), 0 };
	for (size_t j = 0; j < row->ncallers && j < ERROR_CALLERS; j++) {
		buffer_text(&out, j ? ", " : "");
		buffer_text(&out, error_caller_text(caller, &summary->errors, &row->callers[j]));
		buffer_text(&out, " (");
		buffer_unsigned(&out, row->callers[j].count);
		buffer_char(&out, ')');
	}
	if (row->ncallers > ERROR_CALLERS)
		buffer_text(&out, ", ...");
	buffer_end(&out);
	writer_text(json, NULL, all);
}

/* The least number of each bucket that is not empty, and its count. */
static void histograms(struct writer *json, const struct summary *summary)
{
	size_t count = summary_called(summary);

	WRITER_ARRAY(json, "histograms", i, count < PAGE_ROWS ? count : PAGE_ROWS) {
		const struct histogram *histogram = &summary->functions[i].times.histogram;

		writer_begin(json, NULL, '[');
		for (uint32_t j = 0; j < histogram->size; j++) {
			if (!histogram->counts[j])
				continue;
			writer_number(json, NULL, cuaudit_stat_floor(histogram->first + j));
			writer_number(json, NULL, histogram->counts[j]);
		}
		writer_end(json, ']');
	}
}

static const char *const loss_names[CUAUDIT_TRACE_LOSSES] = {
	[CUAUDIT_TRACE_LOST_SIZE] = "the file had its full size",
	[CUAUDIT_TRACE_LOST_DISK] = "the disk was full, or failed",
	[CUAUDIT_TRACE_LOST_MEMORY] = "no memory, or too many threads",
	[CUAUDIT_TRACE_LOST_NESTED] = "made by a signal handler while a call was recorded",
	[CUAUDIT_TRACE_LOST_RING] = "written over by later ones",
	[CUAUDIT_TRACE_LOST_UNWOUND] = "a signal handler left the hook by siglongjmp",
};

static void warn(struct writer *json, struct summary_loss loss, const char *what, const char *why)
{
	char text[256];

	if (!loss.count)
		return;
	snprintf(text, sizeof(text), "%llu %s%s in %llu process%s%s%s",
		 (unsigned long long)loss.count, what, loss.count == 1 ? "" : "s",
		 (unsigned long long)loss.processes, loss.processes == 1 ? "" : "es",
		 *why ? ": " : "", why);
	writer_text(json, NULL, text);
}

static void faults(struct writer *json, const struct summary *summary)
{
	size_t told = 0;
	char text[PATH_MAX + 256];

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (!process->fault || told++ >= PAGE_CURVES)
			continue;
		snprintf(text, sizeof(text), "%s: %s", process->path, process->fault);
		writer_text(json, NULL, text);
	}
}

static void unended(struct writer *json, const struct summary *summary,
		    const uint64_t endings[TRACE_ENDINGS])
{
	char text[256];

	for (uint32_t i = TRACE_RUNS; i < TRACE_ENDINGS; i++) {
		if (!endings[i])
			continue;
		snprintf(text, sizeof(text), "%llu process%s %s", (unsigned long long)endings[i],
			 endings[i] == 1 ? "" : "es", trace_ending_text(i));
		writer_text(json, NULL, text);
	}
	if (!summary->nopen)
		return;
	snprintf(text, sizeof(text), "%zu call%s had not ended", summary->nopen,
		 summary->nopen == 1 ? "" : "s");
	writer_text(json, NULL, text);
}

static void warnings(struct writer *json, const struct summary *summary)
{
	const struct summary_losses losses = summary_losses(summary);

	writer_begin(json, "warnings", '[');
	faults(json, summary);
	unended(json, summary, losses.endings);
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		warn(json, losses.lost[i], "lost call", loss_names[i] ? loss_names[i] : "");
	warn(json, losses.damaged, "damaged part", "their calls are missing");
	warn(json, losses.torn, "byte", "the end of a file that is torn off");
	warn(json, losses.cut, "byte", "the file was cut short");
	warn(json, losses.filtered, "call", "left out by min-duration or failed");
	warn(json, losses.steps, "step of the time of day", "times are by the clock of the start");
	if (losses.no_python)
		writer_text(json, NULL, losses.why_no_python);
	writer_end(json, ']');
}

static void totals(struct writer *json, const struct summary *summary)
{
	uint64_t nthreads = 0;

	for (size_t i = 0; i < summary->nprocesses; i++)
		nthreads += summary->processes[i].nthreads;
	writer_begin(json, "totals", '{');
	row_json(json, row_counts_columns, &summary->counts, true);
	writer_number(json, "span_ns", summary->last_ns - summary->first_ns);
	writer_large(json, "first_ns", summary->first_ns);
	writer_number(json, "processes", summary->nprocesses - summary->faults);
	writer_number(json, "threads", nthreads);
	writer_number(json, "ranks", summary->nranked);
	writer_number(json, "functions", summary_called(summary));
	writer_end(json, '}');
}

void tables_json(const struct summary *summary, struct writer *json)
{
	const struct {
		struct table table;
		size_t count, cut;
	} tables[] = {
		{ { "functions", "Functions", TEXTS("name Function"), times, "Calls",
		    TEXTS("count NotReady"), function, NULL }, summary_called(summary), 0 },
		{ { "libraries", "Libraries", TEXTS("path Library"), times, "Calls", NULL,
		    library, NULL }, summary_called_from(summary), 0 },
		{ { "callers", "Callers", TEXTS("text Caller", "name Function"), times, "Calls",
		    NULL, caller, NULL }, summary->ncallers, 0 },
		{ { "kernels", "Kernels (host time)", TEXTS("text Kernel"), times, "Launches", NULL,
		    kernel, NULL }, summary->nkernels, 0 },
		{ { "ranges", "NVTX ranges", TEXTS("text Innermost range"), times, "Calls", NULL,
		    range, NULL }, ranges_there(summary), 0 },
		{ { "copies", "Copies (host time)", TEXTS("text Direction", "text Call",
		    "bytes Bytes", "text GB/s of host time", "time Total", "count Calls",
		    "count Unsized"), NULL, NULL, NULL, copy, no_copies }, 2 * COPY_DIRECTIONS, 0 },
		{ { "waits", "Waits", TEXTS("path Library", "name Function"), times, "Calls", NULL,
		    wait_of, NULL }, summary->nwaits, 0 },
		{ { "threads", "Threads", TEXTS("text Thread", "id Tid", "text Process"), counts,
		    "Calls", TEXTS("name Busiest function"), thread, NULL }, summary->nthreads,
		  summary->nothers },
		{ { "processes", "Processes", TEXTS("text Process", "id Rank", "text Host"), counts,
		    "Calls", TEXTS("count Threads", "time Span", "bytes Peak memory",
		    "bytes Held at end", "text State", "text Command"), process, NULL },
		  summary->nprocesses, 0 },
		{ { "ranks", "Ranks", TEXTS("id Rank"), counts, "Calls", TEXTS("count Processes",
		    "count Threads", "time Span", "bytes Peak memory"), rank, NULL }, summary->nranks, 0 },
		{ { "errors", "Results", TEXTS("name Function", "text Result", "count Calls",
		    "text Callers"), NULL, NULL, NULL, error, NULL }, summary->errors.count, 0 }
	};

	totals(json, summary);
	warnings(json, summary);
	WRITER_ARRAY(json, "tables", i, sizeof(tables) / sizeof(tables[0]))
		put(json, &tables[i].table, summary, tables[i].count, tables[i].cut);
	histograms(json, summary);
}

void tables_memory(const struct summary *summary, struct writer *json)
{
	size_t drawn = 0;

	WRITER_ARRAY(json, "memory", i, drawn < PAGE_CURVES ? summary->nprocesses : 0) {
		const struct summary_process *process = &summary->processes[i];
		const struct summary_memory *memory = &process->memory;
		char name[PATH_MAX + 32];

		if (process->fault || !memory->known || !memory->npoints)
			continue;
		drawn++;
		writer_begin(json, NULL, '{');
		writer_text(json, "name", process_name(process, name, sizeof(name)));
		writer_signed(json, "rank", process->rank);
		writer_signed(json, "start", (int64_t)(memory->start_ns - summary->first_ns));
		writer_number(json, "step", memory->step_ns);
		writer_number(json, "peak", memory->device.peak);
		writer_signed(json, "peak_at", (int64_t)(memory->peak_ns - summary->first_ns));
		writer_number(json, "held", memory->device.held);
		writer_number(json, "allocated", memory->device.allocated);
		WRITER_ARRAY(json, "points", j, memory->npoints)
			writer_number(json, NULL, memory->points[j]);
		writer_end(json, '}');
	}
}
