/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as one JSON object on one line. */
#include <stdio.h>

#include "analysis/callers.h"
#include "analysis/summary_print.h"
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

static void counts(struct writer *writer, const struct row_counts *from)
{
	row_json(writer, row_counts_columns, from, true);
}

static void times(struct writer *writer, const struct row_times *from)
{
	row_json(writer, row_times_columns, from, true);
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

/* The functions below are of the row i of a table, within its object. */

static void function(const struct json *json, size_t i)
{
	const struct summary_function *function = &json->summary->functions[i];

	writer_text(json->writer, "name", function->name);
	times(json->writer, &function->times);
	histogram(json->writer, &function->times.histogram);
}

static void named(const struct json *json, uint32_t function)
{
	writer_text(json->writer, "name", json->summary->functions[function].name);
}

static void library(const struct json *json, size_t i)
{
	const struct summary_library *library = &json->summary->libraries[i];

	writer_text(json->writer, "path", library->path);
	times(json->writer, &library->times);
	WRITER_OBJECTS(json->writer, "functions", j, rows_of(json, library->npairs)) {
		named(json, library->pairs[j].function);
		times(json->writer, &library->pairs[j].times);
	}
}

/* A library's calls of a function of the runtime. */
static void tree_of(const struct json *json, const struct summary_library *library,
		    const struct summary_pair *pair)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, NULL, '{');
	named(json, pair->function);
	writer_text(json->writer, "library", library->path);
	times(json->writer, &pair->times);
	writer_begin(json->writer, "inside", '[');
	for (size_t i = 0; i < summary->ninside; i++) {
		if (summary->inside[i].outer != pair)
			continue;
		writer_begin(json->writer, NULL, '{');
		named(json, summary->inside[i].function);
		counts(json->writer, &summary->inside[i].counts);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
	writer_end(json->writer, '}');
}

static void tree(const struct json *json)
{
	const struct summary *summary = json->summary;

	writer_begin(json->writer, "tree", '[');
	for (size_t i = 0; i < summary->nlibraries; i++) {
		const struct summary_library *library = &summary->libraries[i];

		for (size_t j = 0; j < library->npairs; j++)
			if (summary->functions[library->pairs[j].function].runtime)
				tree_of(json, library, &library->pairs[j]);
	}
	writer_end(json->writer, ']');
}

static void build_id(struct writer *writer, const struct summary_build *build)
{
	char text[2 * sizeof(build->id) + 1] = "";

	for (uint32_t i = 0; i < build->id_size; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", build->id[i]);
	writer_text(writer, "build_id", build->id_size ? text : NULL);
}

static void caller(const struct json *json, size_t i)
{
	const struct summary_caller *caller = &json->summary->callers[i];

	named(json, caller->function);
	writer_text(json->writer, "library", json->summary->libraries[caller->library].path);
	writer_number(json->writer, "offset", caller->offset);
	build_id(json->writer, &json->summary->builds[caller->build]);
	callers_json(json->writer, callers_find(json->summary, caller));
	if (caller->python) {
		writer_begin(json->writer, "python", '{');
		writer_text(json->writer, "name", caller->python);
		writer_text(json->writer, "file", caller->file);
		writer_number(json->writer, "line", caller->line);
		writer_end(json->writer, '}');
	}
	times(json->writer, &caller->times);
}

static void range(const struct json *json, size_t i)
{
	writer_text(json->writer, "text", json->summary->ranges[i].text);
	times(json->writer, &json->summary->ranges[i].times);
}

static void kernel(const struct json *json, size_t i)
{
	writer_text(json->writer, "name", json->summary->kernels[i].name);
	times(json->writer, &json->summary->kernels[i].times);
}

/* Times are the host's. */
static void copies(const struct json *json)
{
	writer_begin(json->writer, "copies", '[');
	for (int i = 0; i < 2 * COPY_DIRECTIONS; i++) {
		const struct summary_copies *copies = &json->summary->copies[i / 2][i % 2];

		if (!copies->counts.calls)
			continue;
		writer_begin(json->writer, NULL, '{');
		writer_text(json->writer, "direction", copy_labels[i / 2]);
		writer_flag(json->writer, "waited_for", i % 2);
		writer_number(json->writer, "calls", copies->counts.calls);
		writer_number(json->writer, "host_ns", copies->counts.total);
		writer_number(json->writer, "bytes", copies->bytes);
		writer_number(json->writer, "bytes_host_ns", copies->sized_ns);
		writer_number(json->writer, "unsized", copies->unsized);
		writer_end(json->writer, '}');
	}
	writer_end(json->writer, ']');
}

static void wait_of(const struct json *json, size_t i)
{
	const struct summary_pair *pair = json->summary->waits[i];

	named(json, pair->function);
	writer_text(json->writer, "library", json->summary->libraries[pair->library].path);
	times(json->writer, &pair->times);
}

static void shares(const struct json *json, const struct summary_share *share, size_t count)
{
	WRITER_OBJECTS(json->writer, "functions", i, count) {
		named(json, share[i].function);
		counts(json->writer, &share[i].counts);
	}
}

static void thread(const struct json *json, size_t i)
{
	const struct summary_thread *thread = &json->summary->threads[i];
	const struct summary_process *process = &json->summary->processes[thread->process];

	writer_text(json->writer, "name", thread->name);
	writer_signed(json->writer, "tid", thread->tid);
	writer_number(json->writer, "number", thread->number);
	writer_text(json->writer, "path", process->path);
	writer_number(json->writer, "pid", process->pid);
	counts(json->writer, &thread->counts);
	shares(json, thread->functions, thread->nfunctions < ROW_BUSIEST ? thread->nfunctions :
									    ROW_BUSIEST);
}

static void others(const struct json *json)
{
	writer_begin(json->writer, "other_threads", '{');
	writer_number(json->writer, "threads", json->summary->nothers);
	counts(json->writer, &json->summary->others);
	writer_end(json->writer, '}');
}

static void bytes(struct writer *writer, const struct summary_bytes *from)
{
	writer_number(writer, "peak_bytes", from->peak);
	writer_number(writer, "held_bytes", from->held);
	writer_number(writer, "allocated_bytes", from->allocated);
	writer_number(writer, "allocations", from->allocations);
	writer_number(writer, "frees", from->frees);
	writer_number(writer, "unsized", from->unsized);
}

static void memory(struct writer *writer, const struct summary_process *process)
{
	const struct summary_memory *from = &process->memory;

	if (!from->known) {
		writer_null(writer, "memory");
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
	WRITER_ARRAY(writer, "series_bytes", i, from->npoints)
		writer_number(writer, NULL, from->points[i]);
	writer_end(writer, '}');
}

static void missing(struct writer *writer, const struct summary_process *process)
{
	uint64_t other = 0;

	writer_begin(writer, "missing_calls", '{');
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		if (losses[i])
			writer_number(writer, losses[i], process->losses.calls[i]);
		else
			other += process->losses.calls[i];
	}
	writer_number(writer, "other", other);
	writer_end(writer, '}');
	writer_number(writer, "disk_errno", process->error);
	writer_number(writer, "filtered_calls", process->filtered);
	writer_number(writer, "damaged_parts", process->losses.damaged);
	writer_number(writer, "torn_bytes", process->losses.torn);
	writer_number(writer, "cut_bytes", process->losses.cut);
	writer_number(writer, "clock_steps", process->steps);
	writer_signed(writer, "clock_steps_ns", process->step_ns);
	writer_text(writer, "no_python", process->no_python);
}

/* As in the JSON of statistics. */
static const char *const ending_words[TRACE_ENDINGS] = {
	[TRACE_ENDED] = "exit",
	[TRACE_QUIT] = "_exit",
	[TRACE_RUNS] = "running",
	[TRACE_ENDED_OTHERWISE] = "unknown",
	[TRACE_NOT_ENDED] = "unknown"
};

static void process(const struct json *json, size_t i)
{
	const struct summary_process *process = &json->summary->processes[i];
	struct writer *writer = json->writer;

	writer_text(writer, "path", process->path);
	writer_text(writer, "fault", process->fault);
	if (process->fault)
		return;
	writer_number(writer, "pid", process->pid);
	writer_number(writer, "parent", process->parent);
	writer_signed(writer, "rank", process->rank);
	writer_text(writer, "host", process->host);
	writer_text(writer, "program", process->program);
	writer_text(writer, "command", process->command);
	writer_flag(writer, "finished", process->finished);
	writer_text(writer, "ending", ending_words[process->ending]);
	writer_known(writer, "status", (uint64_t)process->status, process->status >= 0);
	writer_flag(writer, "arguments", process->arguments);
	writer_number(writer, "first_ns", process->first_ns);
	writer_number(writer, "last_ns", process->last_ns);
	writer_number(writer, "threads", process->nthreads);
	counts(writer, &process->counts);
	missing(writer, process);
	if (json->print->tables >> SUMMARY_BY_MEMORY & 1)
		memory(writer, process);
	shares(json, process->functions, rows_of(json, process->nfunctions));
}

static void rank(const struct json *json, size_t i)
{
	const struct summary_rank *rank = &json->summary->ranks[i];

	writer_number(json->writer, "processes", rank->nprocesses);
	writer_signed(json->writer, "rank", rank->rank);
	writer_number(json->writer, "threads", rank->nthreads);
	writer_number(json->writer, "first_ns", rank->first_ns);
	writer_number(json->writer, "last_ns", rank->last_ns);
	writer_number(json->writer, "peak_bytes", rank->peak);
	counts(json->writer, &rank->counts);
}

static void error(const struct json *json, size_t i)
{
	const struct error_row *row = &json->summary->errors.rows[i];

	writer_text(json->writer, "name", row->function);
	error_row_json(json->writer, &json->summary->errors, row, rows_of(json, row->ncallers));
}

static void open_call(const struct json *json, size_t i)
{
	const struct summary_open *open = &json->summary->open[i];
	const struct summary_process *process = &json->summary->processes[open->process];

	named(json, open->function);
	writer_text(json->writer, "path", process->path);
	writer_number(json->writer, "pid", process->pid);
	writer_number(json->writer, "thread", open->thread);
	writer_signed(json->writer, "tid", open->tid);
	writer_number(json->writer, "since_ns", open->since_ns);
	writer_number(json->writer, "for_ns", open->for_ns);
}

static void array(const struct json *json, const char *key, size_t count,
		  void (*row)(const struct json *json, size_t i))
{
	WRITER_OBJECTS(json->writer, key, i, count) {
		row(json, i);
	}
}

static void tables(const struct json *json)
{
	const struct summary *summary = json->summary;
	const struct {
		enum summary_table table;
		const char *key;
		size_t count;
		void (*row)(const struct json *json, size_t i);
		void (*rest)(const struct json *json);
	} all[] = {
		{ SUMMARY_BY_FUNCTION, "functions", rows_of(json, summary_called(summary)),
		  function, NULL },
		{ SUMMARY_BY_LIBRARY, "libraries", rows_of(json, summary_called_from(summary)),
		  library, NULL },
		{ SUMMARY_BY_TREE, NULL, 0, NULL, tree },
		{ SUMMARY_BY_CALLER, "callers", rows_of(json, summary->ncallers), caller, NULL },
		{ SUMMARY_BY_KERNEL, "kernels", rows_of(json, summary->nkernels), kernel, NULL },
		{ SUMMARY_BY_RANGE, "ranges", rows_of(json, summary->nranges), range, NULL },
		{ SUMMARY_BY_COPY, NULL, 0, NULL, copies },
		{ SUMMARY_BY_WAIT, "waits", rows_of(json, summary->nwaits), wait_of, NULL },
		{ SUMMARY_BY_THREAD, "threads", summary->nthreads, thread, others },
		{ SUMMARY_BY_RANK, "ranks", summary->nranks, rank, NULL },
		{ SUMMARY_BY_ERROR, "results", rows_of(json, summary->errors.count), error, NULL }
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!(json->print->tables >> all[i].table & 1))
			continue;
		if (all[i].row)
			array(json, all[i].key, all[i].count, all[i].row);
		if (all[i].rest)
			all[i].rest(json);
	}
}

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
	writer_text(&writer, "times", "host");
	counts(&writer, &summary->counts);
	writer_number(&writer, "first_ns", summary->first_ns);
	writer_number(&writer, "last_ns", summary->last_ns);
	array(&json, "processes", summary->nprocesses, process);
	array(&json, "open_calls", rows_of(&json, summary->nopen), open_call);
	tables(&json);
	writer_end(&writer, '}');
	out_text(out, "\n");
}
