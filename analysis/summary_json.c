/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as one JSON object on one line. */
#include <stdio.h>

#include "analysis/summary_print.h"
#include "print/print.h"
#include "util/writer.h"

enum { VERSION = 1 };

struct json {
	const struct summary *summary;
	const struct summary_print *print;
	struct writer *writer;
};

static const char *const losses[CUAUDIT_TRACE_LOSSES] = {
	[CUAUDIT_TRACE_LOST_SIZE] = "size",
	[CUAUDIT_TRACE_LOST_DISK] = "disk",
	[CUAUDIT_TRACE_LOST_MEMORY] = "memory",
	[CUAUDIT_TRACE_LOST_NESTED] = "nested",
	[CUAUDIT_TRACE_LOST_RING] = "ring",
	[CUAUDIT_TRACE_LOST_UNWOUND] = "unwound"
};

static size_t rows_of(const struct json *json, size_t count)
{
	size_t top = json->print->top;

	return top && top < count ? top : count;
}

static void counts(struct writer *writer, const struct summary_counts *from)
{
	writer_number(writer, "calls", from->calls);
	writer_number(writer, "errors", from->errors);
	writer_number(writer, "not_ready", from->not_ready);
	writer_number(writer, "total_ns", from->total_ns);
}

static void times(struct writer *writer, const struct summary_times *from)
{
	writer_number(writer, "calls", from->calls);
	writer_number(writer, "errors", from->errors);
	writer_number(writer, "not_ready", from->not_ready);
	writer_number(writer, "total_ns", from->total_ns);
	writer_number(writer, "min_ns", from->min_ns);
	writer_number(writer, "p50_ns", from->p50_ns);
	writer_number(writer, "p90_ns", from->p90_ns);
	writer_number(writer, "p99_ns", from->p99_ns);
	writer_number(writer, "max_ns", from->max_ns);
	writer_number(writer, "avg_ns", from->avg_ns);
	writer_number(writer, "stddev_ns", from->stddev_ns);
}

/* [[from_ns, calls], ...] */
static void histogram(struct writer *writer, const struct histogram *from)
{
	writer_begin(writer, "histogram_ns", '[');
	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
		if (!histogram_count(from, i))
			continue;
		writer_begin(writer, NULL, '[');
		writer_number(writer, NULL, cuaudit_stat_floor(i));
		writer_number(writer, NULL, histogram_count(from, i));
		writer_end(writer, ']');
	}
	writer_end(writer, ']');
}

/* The beginning of an object of an array, with its first key. */
static void begin(struct writer *writer, const char *name, const char *value)
{
	writer_begin(writer, NULL, '{');
	writer_text(writer, name, value);
}

static void functions(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "functions", '[');
	for (size_t i = 0; i < rows_of(json, summary->nfunctions); i++) {
		const struct summary_function *function = &summary->functions[i];

		if (!function->times.calls)
			break;
		begin(json->writer, "name", function->name);
		times(json->writer, &function->times);
		histogram(json->writer, &function->times.histogram);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void libraries(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "libraries", '[');
	for (size_t i = 0; i < rows_of(json, summary->nlibraries); i++) {
		const struct summary_library *library = &summary->libraries[i];

		if (!library->times.calls)
			break;
		begin(json->writer, "path", library->path);
		times(json->writer, &library->times);
		writer_begin(json->writer, "functions", '[');
		for (size_t j = 0; j < rows_of(json, library->npairs); j++) {
			const struct summary_pair *pair = &library->pairs[j];

			begin(json->writer, "name", summary->functions[pair->function].name);
			times(json->writer, &pair->times);
			writer_end(json->writer, '}');
		}
		writer_end(json->writer, ']');
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void callers(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "callers", '[');
	for (size_t i = 0; i < rows_of(json, summary->ncallers); i++) {
		const struct summary_caller *caller = &summary->callers[i];

		begin(json->writer, "name", summary->functions[caller->function].name);
		writer_text(json->writer, "library", summary->libraries[caller->library].path);
		writer_number(json->writer, "offset", caller->offset);
		times(json->writer, &caller->times);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void kernels(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "kernels", '[');
	for (size_t i = 0; i < rows_of(json, summary->nkernels); i++) {
		begin(json->writer, "name", summary->kernels[i].name);
		times(json->writer, &summary->kernels[i].times);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

/* Times are the host's. */
static void copies(const struct json *json)
{
	writer_begin(json->writer, "copies", '[');
	for (int i = 0; i < 2 * COPY_DIRECTIONS; i++) {
		const struct summary_copies *copies = &json->summary->copies[i / 2][i % 2];

		if (!copies->calls)
			continue;
		begin(json->writer, "direction", copy_labels[i / 2]);
		writer_flag(json->writer, "waited_for", i % 2);
		writer_number(json->writer, "calls", copies->calls);
		writer_number(json->writer, "host_ns", copies->total_ns);
		writer_number(json->writer, "bytes", copies->bytes);
		writer_number(json->writer, "bytes_host_ns", copies->sized_ns);
		writer_number(json->writer, "unsized", copies->unsized);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void waits(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "waits", '[');
	for (size_t i = 0; i < rows_of(json, summary->nwaits); i++) {
		const struct summary_pair *pair = summary->waits[i];

		begin(json->writer, "name", summary->functions[pair->function].name);
		writer_text(json->writer, "library", summary->libraries[pair->library].path);
		times(json->writer, &pair->times);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void shares(const struct json *json, const struct summary_share *share, size_t count)
{
	writer_begin(json->writer, "functions", '[');
	for (size_t i = 0; i < count; i++) {
		begin(json->writer, "name", json->summary->functions[share[i].function].name);
		counts(json->writer, &share[i].counts);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void threads(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "threads", '[');
	for (size_t i = 0; i < summary->nthreads; i++) {
		const struct summary_thread *thread = &summary->threads[i];
		const struct summary_process *process = &summary->processes[thread->process];

		begin(json->writer, "name", thread->name);
		writer_signed(json->writer, "tid", thread->tid);
		writer_number(json->writer, "number", thread->number);
		writer_text(json->writer, "path", process->path);
		writer_number(json->writer, "pid", process->pid);
		counts(json->writer, &thread->counts);
		shares(json, thread->functions, thread->nfunctions < SUMMARY_BUSIEST ?
						thread->nfunctions : SUMMARY_BUSIEST);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
	writer_begin(json->writer, "other_threads", '{');
	writer_number(json->writer, "threads", summary->nothers);
	counts(json->writer, &summary->others);
	writer_end(json->writer, '}');
}

static void bytes(struct writer *writer, const struct summary_bytes *from)
{
	writer_number(writer, "peak_bytes", from->peak);
	writer_number(writer, "held_bytes", from->held);
	writer_number(writer, "allocated_bytes", from->allocated);
	writer_number(writer, "births", from->births);
	writer_number(writer, "deaths", from->deaths);
	writer_number(writer, "unsized", from->unsized);
}

static void memory(struct writer *writer, const struct summary_process *process)
{
	const struct summary_memory *from = &process->memory;

	if (!from->known) {
		writer_text(writer, "memory", NULL);
		return;
	}
	writer_begin(writer, "memory", '{');
	writer_flag(writer, "partial", process->partial);
	writer_number(writer, "peak_at_ns", from->peak_ns);
	bytes(writer, &from->device);
	writer_begin(writer, "kinds", '{');
	for (int i = 0; i < SUMMARY_KINDS; i++) {
		writer_begin(writer, summary_memory_kinds[i], '{');
		writer_flag(writer, "in_device", i != SUMMARY_HOST);
		bytes(writer, &from->kinds[i]);
		writer_end(writer, '}');
	}
	writer_end(writer, '}');
	writer_number(writer, "start_ns", from->start_ns);
	writer_number(writer, "step_ns", from->step_ns);
	writer_begin(writer, "series_bytes", '[');
	for (size_t i = 0; i < from->npoints; i++)
		writer_number(writer, NULL, from->points[i]);
	writer_end(writer, ']');
	writer_end(writer, '}');
}

static void missing(struct writer *writer, const struct summary_process *process)
{
	uint64_t other = 0;

	writer_begin(writer, "missing_calls", '{');
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		if (losses[i])
			writer_number(writer, losses[i], process->lost[i]);
		else
			other += process->lost[i];
	}
	writer_number(writer, "other", other);
	writer_end(writer, '}');
	writer_number(writer, "disk_errno", process->error);
	writer_number(writer, "filtered_calls", process->filtered);
	writer_number(writer, "damaged_parts", process->damaged);
	writer_number(writer, "torn_bytes", process->torn);
	writer_number(writer, "cut_bytes", process->cut);
	writer_number(writer, "clock_steps", process->steps);
	writer_signed(writer, "clock_steps_ns", process->step_ns);
}

/* As in the JSON of statistics. */
static const char *const ending_words[TRACE_ENDINGS] = {
	[TRACE_ENDED] = "exit",
	[TRACE_QUIT] = "_exit",
	[TRACE_RUNS] = "running",
	[TRACE_ENDED_OTHERWISE] = "unknown",
	[TRACE_NOT_ENDED] = "unknown"
};

static void process(const struct json *json, size_t index)
{
	const struct summary_process *process = &json->summary->processes[index];
	struct writer *writer = json->writer;

	begin(writer, "path", process->path);
	writer_text(writer, "fault", process->fault);
	if (process->fault) {
		writer_end(writer, '}');
		return;
	}
	writer_number(writer, "pid", process->pid);
	writer_number(writer, "parent", process->parent);
	writer_signed(writer, "rank", process->rank);
	writer_text(writer, "host", process->host);
	writer_text(writer, "program", process->program);
	writer_text(writer, "command", process->command);
	writer_flag(writer, "finished", process->finished);
	writer_text(writer, "ending", ending_words[process->ending]);
	if (process->status >= 0)
		writer_signed(writer, "status", process->status);
	else
		writer_text(writer, "status", NULL);
	writer_flag(writer, "arguments", process->arguments);
	writer_number(writer, "first_ns", process->first_ns);
	writer_number(writer, "last_ns", process->last_ns);
	writer_number(writer, "threads", process->nthreads);
	counts(writer, &process->counts);
	missing(writer, process);
	if (json->print->tables >> SUMMARY_BY_MEMORY & 1)
		memory(writer, process);
	shares(json, process->functions, rows_of(json, process->nfunctions));
	writer_end(writer, '}');
}

static void processes(const struct json *json)
{
	writer_begin(json->writer, "processes", '[');
	for (size_t i = 0; i < json->summary->nprocesses; i++)
		process(json, i);
	writer_end(json->writer, ']');
}

static void ranks(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "ranks", '[');
	for (size_t i = 0; i < summary->nranks; i++) {
		const struct summary_rank *rank = &summary->ranks[i];

		writer_begin(json->writer, NULL, '{');
		writer_number(json->writer, "processes", rank->nprocesses);
		writer_signed(json->writer, "rank", rank->rank);
		writer_number(json->writer, "threads", rank->nthreads);
		writer_number(json->writer, "first_ns", rank->first_ns);
		writer_number(json->writer, "last_ns", rank->last_ns);
		writer_number(json->writer, "peak_bytes", rank->peak);
		counts(json->writer, &rank->counts);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void errors(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "results", '[');
	for (size_t i = 0; i < rows_of(json, summary->nerrors); i++) {
		const struct summary_error *error = &summary->errors[i];
		char name[96];
		struct buffer buffer = { name, sizeof(name), 0 };

		print_result_name(&buffer, error->result);
		buffer_end(&buffer);
		begin(json->writer, "name", summary->functions[error->function].name);
		writer_text(json->writer, "result", name);
		writer_signed(json->writer, "code", error->result);
		writer_number(json->writer, "calls", error->count);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void open_calls(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "open_calls", '[');
	for (size_t i = 0; i < rows_of(json, summary->nopen); i++) {
		const struct summary_open *open = &summary->open[i];

		begin(json->writer, "name", summary->functions[open->function].name);
		writer_text(json->writer, "path", summary->processes[open->process].path);
		writer_number(json->writer, "pid", summary->processes[open->process].pid);
		writer_number(json->writer, "thread", open->thread);
		writer_signed(json->writer, "tid", open->tid);
		writer_number(json->writer, "since_ns", open->since_ns);
		writer_number(json->writer, "for_ns", open->for_ns);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void (*const printers[SUMMARY_TABLES])(const struct json *json) = {
	[SUMMARY_BY_FUNCTION] = functions,
	[SUMMARY_BY_LIBRARY] = libraries,
	[SUMMARY_BY_CALLER] = callers,
	[SUMMARY_BY_KERNEL] = kernels,
	[SUMMARY_BY_COPY] = copies,
	[SUMMARY_BY_WAIT] = waits,
	[SUMMARY_BY_THREAD] = threads,
	[SUMMARY_BY_RANK] = ranks,
	[SUMMARY_BY_ERROR] = errors
};

void summary_json(const struct summary *summary, const struct summary_print *print,
		  struct out *out)
{
	struct summary_print all = *print;
	struct writer writer = { .out = out };
	const struct json json = { summary, &all, &writer };

	if (!all.tables)
		all.tables = (1u << SUMMARY_TABLES) - 1;
	writer_begin(&writer, NULL, '{');
	writer_number(&writer, "version", VERSION);
	writer_text(&writer, "kind", "traces");
	counts(&writer, &summary->counts);
	writer_number(&writer, "first_ns", summary->first_ns);
	writer_number(&writer, "last_ns", summary->last_ns);
	processes(&json);
	open_calls(&json);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (printers[i] && all.tables >> i & 1)
			printers[i](&json);
	writer_end(&writer, '}');
	out_text(out, "\n");
}
