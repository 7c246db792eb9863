/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a summary, and what is to be told beside them. */
#include "export/html/page_tables.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "export/html/page.h"
#include "print/print.h"

struct table {
	struct writer *json;
	size_t cut;	/* rows that are left out */
};

/* columns: "KIND Title" each; kinds are the script's. Returns how many rows may follow. */
static size_t begin(struct table *table, const char *id, const char *title,
		    const char *const *columns, size_t nrows)
{
	table->cut = nrows > PAGE_ROWS ? nrows - PAGE_ROWS : 0;
	writer_begin(table->json, NULL, '{');
	writer_text(table->json, "id", id);
	writer_text(table->json, "title", title);
	writer_begin(table->json, "columns", '[');
	for (; *columns; columns++)
		writer_text(table->json, NULL, *columns);
	writer_end(table->json, ']');
	writer_begin(table->json, "rows", '[');
	return nrows - table->cut;
}

static void end(struct table *table)
{
	writer_end(table->json, ']');
	writer_number(table->json, "cut", table->cut);
	writer_end(table->json, '}');
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *process_name(const struct summary_process *process, char *text, size_t size)
{
	snprintf(text, size, "%s (%u)", last_component(process->program ? process->program : ""),
		 process->pid);
	return text;
}

/* The columns that all times have in common: TIMES_COLUMNS. */
static void times(struct writer *json, const struct summary_times *times)
{
	writer_number(json, NULL, times->total_ns);
	writer_number(json, NULL, times->calls);
	writer_number(json, NULL, times->errors);
	writer_number(json, NULL, times->avg_ns);
	writer_number(json, NULL, times->min_ns);
	writer_number(json, NULL, times->p50_ns);
	writer_number(json, NULL, times->p90_ns);
	writer_number(json, NULL, times->p99_ns);
	writer_number(json, NULL, times->max_ns);
	writer_number(json, NULL, times->stddev_ns);
}

#define TIMES_COLUMNS(calls) "time Total", "count " calls, "errors Errors", "time Avg", \
	"time Min", "time p50", "time p90", "time p99", "time Max", "time StdDev"

static void counts(struct writer *json, const struct summary_counts *counts)
{
	writer_number(json, NULL, counts->total_ns);
	writer_number(json, NULL, counts->calls);
	writer_number(json, NULL, counts->errors);
}

#define COUNTS_COLUMNS "time Total", "count Calls", "errors Errors"

/* How many functions were called; the others come last. */
static size_t called(const struct summary *summary)
{
	size_t count = summary->nfunctions;

	while (count && !summary->functions[count - 1].times.calls)
		count--;
	return count;
}

static void functions(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "name Function", TIMES_COLUMNS("Calls"),
					       "count NotReady", NULL };
	size_t count = begin(table, "functions", "Functions", columns, called(summary));

	for (size_t i = 0; i < count; i++) {
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, summary->functions[i].name);
		times(table->json, &summary->functions[i].times);
		writer_number(table->json, NULL, summary->functions[i].times.not_ready);
		writer_end(table->json, ']');
	}
	end(table);
}

static void libraries(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "path Library", TIMES_COLUMNS("Calls"), NULL };
	size_t count = summary->nlibraries;

	/* Those that are only known come last. */
	while (count && !summary->libraries[count - 1].times.calls)
		count--;
	count = begin(table, "libraries", "Libraries", columns, count);
	for (size_t i = 0; i < count; i++) {
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, summary->libraries[i].path);
		times(table->json, &summary->libraries[i].times);
		writer_end(table->json, ']');
	}
	end(table);
}

static void callers(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "text Caller", "name Function",
					       TIMES_COLUMNS("Calls"), NULL };
	size_t count = begin(table, "callers", "Callers", columns, summary->ncallers);

	for (size_t i = 0; i < count; i++) {
		const struct summary_caller *caller = &summary->callers[i];
		char text[PATH_MAX + 32];

		snprintf(text, sizeof(text), "%s+0x%llx",
			 last_component(summary->libraries[caller->library].path),
			 (unsigned long long)caller->offset);
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, text);
		writer_text(table->json, NULL, summary->functions[caller->function].name);
		times(table->json, &caller->times);
		writer_end(table->json, ']');
	}
	end(table);
}

static void kernels(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "text Kernel", TIMES_COLUMNS("Launches"), NULL };
	size_t count = begin(table, "kernels", "Kernels (host time)", columns,
			     summary->nkernels);

	for (size_t i = 0; i < count; i++) {
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, summary->kernels[i].name);
		times(table->json, &summary->kernels[i].times);
		writer_end(table->json, ']');
	}
	end(table);
}

/* Bytes by the host's time say something of those alone that the call waits for. */
static void copies(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "text Direction", "text Call", "bytes Bytes",
		"text GB/s of host time", "time Total", "count Calls", "count Unsized", NULL };

	begin(table, "copies", "Copies (host time)", columns, 0);
	for (int i = 0; i < 2 * COPY_DIRECTIONS; i++) {
		const struct summary_copies *copies = &summary->copies[i / 2][i % 2];
		char rate[32] = "";

		if (!copies->calls)
			continue;
		if (i % 2 && copies->sized_ns)
			snprintf(rate, sizeof(rate), "%.2f",
				 (double)copies->bytes / (double)copies->sized_ns);
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, copy_labels[i / 2]);
		writer_text(table->json, NULL, i % 2 ? "waits" : "does not wait");
		writer_number(table->json, NULL, copies->bytes);
		writer_text(table->json, NULL, rate);
		writer_number(table->json, NULL, copies->total_ns);
		writer_number(table->json, NULL, copies->calls);
		writer_number(table->json, NULL, copies->unsized);
		writer_end(table->json, ']');
	}
	end(table);
}

static void waits(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "path Library", "name Function",
					       TIMES_COLUMNS("Calls"), NULL };
	size_t count = begin(table, "waits", "Waits", columns, summary->nwaits);

	for (size_t i = 0; i < count; i++) {
		const struct summary_pair *pair = summary->waits[i];

		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, summary->libraries[pair->library].path);
		writer_text(table->json, NULL, summary->functions[pair->function].name);
		times(table->json, &pair->times);
		writer_end(table->json, ']');
	}
	end(table);
}

static void threads(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "text Thread", "id Tid", "text Process",
					       COUNTS_COLUMNS, "name Busiest function", NULL };
	size_t count = begin(table, "threads", "Threads", columns, summary->nthreads);
	char name[PATH_MAX + 32];

	for (size_t i = 0; i < count; i++) {
		const struct summary_thread *thread = &summary->threads[i];

		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, thread->name);
		writer_signed(table->json, NULL, thread->tid);
		writer_text(table->json, NULL,
			  process_name(&summary->processes[thread->process], name, sizeof(name)));
		counts(table->json, &thread->counts);
		writer_text(table->json, NULL, !thread->nfunctions ? NULL :
			  summary->functions[thread->functions[0].function].name);
		writer_end(table->json, ']');
	}
	table->cut += summary->nothers;
	end(table);
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

static void processes(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "text Process", "id Rank", "text Host",
		COUNTS_COLUMNS, "count Threads", "time Span", "bytes Peak memory",
		"bytes Held at end", "text State", "text Command", NULL };
	size_t count = begin(table, "processes", "Processes", columns, summary->nprocesses);
	char name[PATH_MAX + 32], state[64];

	for (size_t i = 0; i < count; i++) {
		const struct summary_process *process = &summary->processes[i];
		const struct summary_bytes *device = &process->memory.device;

		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, process->fault ? process->path :
			  process_name(process, name, sizeof(name)));
		writer_signed(table->json, NULL, process->fault ? -1 : process->rank);
		writer_text(table->json, NULL, process->host);
		counts(table->json, &process->counts);
		writer_number(table->json, NULL, process->nthreads);
		writer_number(table->json, NULL, process->last_ns - process->first_ns);
		writer_signed(table->json, NULL, process->memory.known ? (int64_t)device->peak : -1);
		writer_signed(table->json, NULL, process->memory.known ? (int64_t)device->held : -1);
		writer_text(table->json, NULL, ending(process, state, sizeof(state)));
		writer_text(table->json, NULL, process->command);
		writer_end(table->json, ']');
	}
	end(table);
}

static void ranks(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "id Rank", COUNTS_COLUMNS, "count Processes",
		"count Threads", "time Span", "bytes Peak memory", NULL };
	size_t count = begin(table, "ranks", "Ranks", columns, summary->nranks);

	for (size_t i = 0; i < count; i++) {
		const struct summary_rank *rank = &summary->ranks[i];

		writer_begin(table->json, NULL, '[');
		writer_signed(table->json, NULL, rank->rank);
		counts(table->json, &rank->counts);
		writer_number(table->json, NULL, rank->nprocesses);
		writer_number(table->json, NULL, rank->nthreads);
		writer_number(table->json, NULL, rank->last_ns - rank->first_ns);
		writer_number(table->json, NULL, rank->peak);
		writer_end(table->json, ']');
	}
	end(table);
}

static void errors(struct table *table, const struct summary *summary)
{
	static const char *const columns[] = { "name Function", "text Result", "count Calls",
					       NULL };
	size_t count = begin(table, "errors", "Results", columns,
			     summary->nerrors);

	for (size_t i = 0; i < count; i++) {
		char name[64];
		struct buffer buffer = { name, sizeof(name), 0 };

		print_result_name(&buffer, summary->errors[i].result);
		buffer_end(&buffer);
		writer_begin(table->json, NULL, '[');
		writer_text(table->json, NULL, summary->functions[summary->errors[i].function].name);
		writer_text(table->json, NULL, name);
		writer_number(table->json, NULL, summary->errors[i].count);
		writer_end(table->json, ']');
	}
	end(table);
}

/* The least number of each bucket that is not empty, and its count. */
static void histograms(struct writer *json, const struct summary *summary)
{
	writer_begin(json, "histograms", '[');
	for (size_t i = 0; i < called(summary) && i < PAGE_ROWS; i++) {
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
	writer_end(json, ']');
}

static const char *const loss_names[CUAUDIT_TRACE_LOSSES] = {
	[CUAUDIT_TRACE_LOST_SIZE] = "the file had its full size",
	[CUAUDIT_TRACE_LOST_DISK] = "the disk was full, or gave an error",
	[CUAUDIT_TRACE_LOST_MEMORY] = "no memory, or too many threads",
	[CUAUDIT_TRACE_LOST_NESTED] = "made by a signal handler while a call was recorded",
	[CUAUDIT_TRACE_LOST_RING] = "written over by later ones",
	[CUAUDIT_TRACE_LOST_UNWOUND] = "a signal handler left the hook by siglongjmp",
};

static void warn(struct writer *json, uint64_t count, const char *what, uint64_t nprocesses,
		 const char *why)
{
	char text[256];

	if (!count)
		return;
	snprintf(text, sizeof(text), "%llu %s%s in %llu process%s%s%s", (unsigned long long)count,
		 what, count == 1 ? "" : "s", (unsigned long long)nprocesses,
		 nprocesses == 1 ? "" : "es", *why ? ": " : "", why);
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
	uint64_t lost[CUAUDIT_TRACE_LOSSES] = { 0 }, losers[CUAUDIT_TRACE_LOSSES] = { 0 };
	uint64_t damaged = 0, damagers = 0, torn = 0, tearers = 0, cut = 0, cutters = 0, filtered = 0, filterers = 0;
	uint64_t steps = 0, steppers = 0;
	uint64_t endings[TRACE_ENDINGS] = { 0 };

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		for (int j = 0; j < CUAUDIT_TRACE_LOSSES; j++) {
			lost[j] += process->lost[j];
			losers[j] += process->lost[j] > 0;
		}
		endings[process->ending] += !process->fault;
		damaged += process->damaged;
		damagers += process->damaged > 0;
		torn += process->torn;
		tearers += process->torn > 0;
		cut += process->cut;
		cutters += process->cut > 0;
		filtered += process->filtered;
		filterers += process->filtered > 0;
		steps += process->steps;
		steppers += process->steps > 0;
	}
	writer_begin(json, "warnings", '[');
	faults(json, summary);
	unended(json, summary, endings);
	for (int j = 0; j < CUAUDIT_TRACE_LOSSES; j++)
		warn(json, lost[j], "lost call", losers[j], loss_names[j] ? loss_names[j] : "");
	warn(json, damaged, "damaged part", damagers, "their calls are missing");
	warn(json, torn, "byte", tearers, "the end of a file that is torn off");
	warn(json, cut, "byte", cutters, "the file was cut short");
	warn(json, filtered, "call", filterers, "too short to be recorded, as min-duration asks");
	warn(json, steps, "step of the time of day", steppers,
	     "times are by the clock of the start");
	writer_end(json, ']');
}

static void totals(struct writer *json, const struct summary *summary)
{
	uint64_t nthreads = 0;

	for (size_t i = 0; i < summary->nprocesses; i++)
		nthreads += summary->processes[i].nthreads;
	writer_begin(json, "totals", '{');
	writer_number(json, "calls", summary->counts.calls);
	writer_number(json, "errors", summary->counts.errors);
	writer_number(json, "not_ready", summary->counts.not_ready);
	writer_number(json, "total_ns", summary->counts.total_ns);
	writer_number(json, "span_ns", summary->last_ns - summary->first_ns);
	writer_large(json, "first_ns", summary->first_ns);
	writer_number(json, "processes", summary->nprocesses - summary->faults);
	writer_number(json, "threads", nthreads);
	writer_number(json, "ranks", summary->nranked);
	writer_number(json, "functions", called(summary));
	writer_end(json, '}');
}

void tables_json(const struct summary *summary, struct writer *json)
{
	struct table table = { .json = json };

	totals(json, summary);
	warnings(json, summary);
	writer_begin(json, "tables", '[');
	functions(&table, summary);
	libraries(&table, summary);
	callers(&table, summary);
	kernels(&table, summary);
	copies(&table, summary);
	waits(&table, summary);
	threads(&table, summary);
	processes(&table, summary);
	ranks(&table, summary);
	errors(&table, summary);
	writer_end(json, ']');
	histograms(json, summary);
}

void tables_memory(const struct summary *summary, struct writer *json)
{
	size_t drawn = 0;

	writer_begin(json, "memory", '[');
	for (size_t i = 0; i < summary->nprocesses && drawn < PAGE_CURVES; i++) {
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
		writer_begin(json, "points", '[');
		for (size_t j = 0; j < memory->npoints; j++)
			writer_number(json, NULL, memory->points[j]);
		writer_end(json, ']');
		writer_end(json, '}');
	}
	writer_end(json, ']');
}
