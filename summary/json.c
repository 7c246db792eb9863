/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as one JSON object on one line. */
#include <stdio.h>

#include "print/print.h"
#include "summary/keys.h"
#include "summary/print.h"

enum { VERSION = 1 };

struct json {
	const struct summary *summary;
	const struct summary_print *print;
	struct out *out;
};

static const char *const losses[CUAUDIT_TRACE_LOSSES] = {
	[CUAUDIT_TRACE_LOST_SIZE] = "size",
	[CUAUDIT_TRACE_LOST_DISK] = "disk",
	[CUAUDIT_TRACE_LOST_MEMORY] = "memory",
	[CUAUDIT_TRACE_LOST_NESTED] = "nested",
	[CUAUDIT_TRACE_LOST_RING] = "ring"
};

static size_t rows_of(const struct json *json, size_t count)
{
	size_t top = json->print->top;

	return top && top < count ? top : count;
}

static void counts(struct out *out, const struct summary_counts *from)
{
	keys_number(out, "calls", from->calls);
	keys_number(out, "errors", from->errors);
	keys_number(out, "not_ready", from->not_ready);
	keys_number(out, "total_ns", from->total_ns);
}

static void times(struct out *out, const struct summary_times *from)
{
	keys_number(out, "calls", from->calls);
	keys_number(out, "errors", from->errors);
	keys_number(out, "not_ready", from->not_ready);
	keys_number(out, "total_ns", from->total_ns);
	keys_number(out, "min_ns", from->min_ns);
	keys_number(out, "p50_ns", from->p50_ns);
	keys_number(out, "p90_ns", from->p90_ns);
	keys_number(out, "p99_ns", from->p99_ns);
	keys_number(out, "max_ns", from->max_ns);
	keys_number(out, "avg_ns", from->avg_ns);
	keys_number(out, "stddev_ns", from->stddev_ns);
}

/* [[from_ns, calls], ...] */
static void histogram(struct out *out, const struct histogram *from)
{
	size_t count = 0;

	keys_key(out, ",", "histogram_ns");
	out_text(out, "[");
	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
		if (!histogram_count(from, i))
			continue;
		out_text(out, keys_between(count++));
		out_text(out, "[");
		out_u64(out, cuaudit_stat_floor(i));
		out_text(out, ",");
		out_u64(out, histogram_count(from, i));
		out_text(out, "]");
	}
	out_text(out, "]");
}

/* The beginning of an object of an array, with its first key. */
static void begin(struct out *out, size_t index, const char *name, const char *value)
{
	out_text(out, keys_between(index));
	keys_key(out, "{", name);
	if (value)
		out_json(out, value);
	else
		out_text(out, "null");
}

static void functions(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "functions");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->nfunctions); i++) {
		const struct summary_function *function = &summary->functions[i];

		if (!function->times.calls)
			break;
		begin(json->out, i, "name", function->name);
		times(json->out, &function->times);
		histogram(json->out, &function->times.histogram);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void libraries(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "libraries");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->nlibraries); i++) {
		const struct summary_library *library = &summary->libraries[i];

		if (!library->times.calls)
			break;
		begin(json->out, i, "path", library->path);
		times(json->out, &library->times);
		keys_key(json->out, ",", "functions");
		out_text(json->out, "[");
		for (size_t j = 0; j < rows_of(json, library->npairs); j++) {
			const struct summary_pair *pair = &library->pairs[j];

			begin(json->out, j, "name", summary->functions[pair->function].name);
			times(json->out, &pair->times);
			out_text(json->out, "}");
		}
		out_text(json->out, "]}");
	}
	out_text(json->out, "]");
}

static void callers(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "callers");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->ncallers); i++) {
		const struct summary_caller *caller = &summary->callers[i];

		begin(json->out, i, "name", summary->functions[caller->function].name);
		keys_text(json->out, "library", summary->libraries[caller->library].path);
		keys_number(json->out, "offset", caller->offset);
		times(json->out, &caller->times);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void kernels(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "kernels");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->nkernels); i++) {
		begin(json->out, i, "name", summary->kernels[i].name);
		times(json->out, &summary->kernels[i].times);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void shares(const struct json *json, const struct summary_share *share, size_t count)
{
	keys_key(json->out, ",", "functions");
	out_text(json->out, "[");
	for (size_t i = 0; i < count; i++) {
		begin(json->out, i, "name", json->summary->functions[share[i].function].name);
		counts(json->out, &share[i].counts);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void threads(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "threads");
	out_text(json->out, "[");
	for (size_t i = 0; i < summary->nthreads; i++) {
		const struct summary_thread *thread = &summary->threads[i];
		const struct summary_process *process = &summary->processes[thread->process];

		begin(json->out, i, "name", thread->name);
		keys_integer(json->out, "tid", thread->tid);
		keys_number(json->out, "number", thread->number);
		keys_text(json->out, "path", process->path);
		keys_number(json->out, "pid", process->pid);
		counts(json->out, &thread->counts);
		shares(json, thread->functions, thread->nfunctions < SUMMARY_BUSIEST ?
						thread->nfunctions : SUMMARY_BUSIEST);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
	keys_key(json->out, ",", "other_threads");
	keys_key(json->out, "{", "threads");
	out_u64(json->out, summary->nothers);
	counts(json->out, &summary->others);
	out_text(json->out, "}");
}

static void bytes(struct out *out, const struct summary_bytes *from)
{
	keys_number(out, "peak_bytes", from->peak);
	keys_number(out, "held_bytes", from->held);
	keys_number(out, "allocated_bytes", from->allocated);
	keys_number(out, "births", from->births);
	keys_number(out, "deaths", from->deaths);
	keys_number(out, "unsized", from->unsized);
}

static void memory(struct out *out, const struct summary_memory *from)
{
	keys_key(out, ",", "memory");
	if (!from->known) {
		out_text(out, "null");
		return;
	}
	keys_key(out, "{", "peak_at_ns");
	out_u64(out, from->peak_ns);
	bytes(out, &from->device);
	keys_key(out, ",", "kinds");
	for (int i = 0; i < SUMMARY_KINDS; i++) {
		keys_key(out, i ? "," : "{", summary_memory_kinds[i]);
		keys_key(out, "{", "in_device");
		out_text(out, i == SUMMARY_HOST ? "false" : "true");
		bytes(out, &from->kinds[i]);
		out_text(out, "}");
	}
	out_text(out, "}");
	keys_number(out, "start_ns", from->start_ns);
	keys_number(out, "step_ns", from->step_ns);
	keys_key(out, ",", "series_bytes");
	out_text(out, "[");
	for (size_t i = 0; i < from->npoints; i++) {
		out_text(out, keys_between(i));
		out_u64(out, from->points[i]);
	}
	out_text(out, "]}");
}

static void missing(struct out *out, const struct summary_process *process)
{
	uint64_t other = 0;

	keys_key(out, ",", "missing_calls");
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		if (!losses[i]) {
			other += process->lost[i];
			continue;
		}
		keys_key(out, i ? "," : "{", losses[i]);
		out_u64(out, process->lost[i]);
	}
	keys_number(out, "other", other);
	out_text(out, "}");
	keys_number(out, "disk_errno", process->error);
	keys_number(out, "filtered_calls", process->filtered);
	keys_number(out, "damaged_parts", process->damaged);
	keys_number(out, "torn_bytes", process->torn);
}

static void process(const struct json *json, size_t index)
{
	const struct summary_process *process = &json->summary->processes[index];
	struct out *out = json->out;

	begin(out, index, "path", process->path);
	keys_text(out, "fault", process->fault);
	if (process->fault) {
		out_text(out, "}");
		return;
	}
	keys_number(out, "pid", process->pid);
	keys_number(out, "parent", process->parent);
	keys_integer(out, "rank", process->rank);
	keys_text(out, "host", process->host);
	keys_text(out, "program", process->program);
	keys_text(out, "command", process->command);
	keys_bool(out, "finished", process->finished);
	keys_bool(out, "arguments", process->arguments);
	keys_number(out, "first_ns", process->first_ns);
	keys_number(out, "last_ns", process->last_ns);
	keys_number(out, "threads", process->nthreads);
	counts(out, &process->counts);
	missing(out, process);
	if (json->print->tables >> SUMMARY_BY_MEMORY & 1)
		memory(out, &process->memory);
	shares(json, process->functions, rows_of(json, process->nfunctions));
	out_text(out, "}");
}

static void processes(const struct json *json)
{
	keys_key(json->out, ",", "processes");
	out_text(json->out, "[");
	for (size_t i = 0; i < json->summary->nprocesses; i++)
		process(json, i);
	out_text(json->out, "]");
}

static void ranks(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "ranks");
	out_text(json->out, "[");
	for (size_t i = 0; i < summary->nranks; i++) {
		const struct summary_rank *rank = &summary->ranks[i];

		out_text(json->out, keys_between(i));
		keys_key(json->out, "{", "processes");
		out_u64(json->out, rank->nprocesses);
		keys_integer(json->out, "rank", rank->rank);
		keys_number(json->out, "threads", rank->nthreads);
		keys_number(json->out, "first_ns", rank->first_ns);
		keys_number(json->out, "last_ns", rank->last_ns);
		keys_number(json->out, "peak_bytes", rank->peak);
		counts(json->out, &rank->counts);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void errors(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "results");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->nerrors); i++) {
		const struct summary_error *error = &summary->errors[i];
		char name[96];
		struct buffer buffer = { name, sizeof(name), 0 };

		print_result_name(&buffer, error->result);
		buffer_end(&buffer);
		begin(json->out, i, "name", summary->functions[error->function].name);
		keys_text(json->out, "result", name);
		keys_integer(json->out, "code", error->result);
		keys_number(json->out, "calls", error->count);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void open_calls(const struct json *json)
{
	const struct summary *summary = json->summary;

	keys_key(json->out, ",", "open_calls");
	out_text(json->out, "[");
	for (size_t i = 0; i < rows_of(json, summary->nopen); i++) {
		const struct summary_open *open = &summary->open[i];

		begin(json->out, i, "name", summary->functions[open->function].name);
		keys_text(json->out, "path", summary->processes[open->process].path);
		keys_number(json->out, "pid", summary->processes[open->process].pid);
		keys_number(json->out, "thread", open->thread);
		keys_integer(json->out, "tid", open->tid);
		keys_number(json->out, "since_ns", open->since_ns);
		keys_number(json->out, "for_ns", open->for_ns);
		out_text(json->out, "}");
	}
	out_text(json->out, "]");
}

static void (*const printers[SUMMARY_TABLES])(const struct json *json) = {
	[SUMMARY_BY_FUNCTION] = functions,
	[SUMMARY_BY_LIBRARY] = libraries,
	[SUMMARY_BY_CALLER] = callers,
	[SUMMARY_BY_KERNEL] = kernels,
	[SUMMARY_BY_THREAD] = threads,
	[SUMMARY_BY_RANK] = ranks,
	[SUMMARY_BY_ERROR] = errors
};

void summary_json(const struct summary *summary, const struct summary_print *print,
		  struct out *out)
{
	struct summary_print all = *print;
	const struct json json = { summary, &all, out };

	if (!all.tables)
		all.tables = (1u << SUMMARY_TABLES) - 1;
	keys_key(out, "{", "version");
	out_u64(out, VERSION);
	keys_text(out, "kind", "traces");
	counts(out, &summary->counts);
	keys_number(out, "first_ns", summary->first_ns);
	keys_number(out, "last_ns", summary->last_ns);
	processes(&json);
	open_calls(&json);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (printers[i] && all.tables >> i & 1)
			printers[i](&json);
	out_text(out, "}\n");
}
