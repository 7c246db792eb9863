/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline as the page's script reads it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/html/timeline.h"
#include "print/print.h"
#include "print/table.h"

static void texts(struct writer *json, const char *key, const struct table *table)
{
	WRITER_ARRAY(json, key, i, table->count)
		writer_text(json, NULL, table->keys[i].bytes);
}

/* The names of the results that occur, by their numbers; "runtime" before those of the runtime's functions. */
static void results(struct writer *json, const struct timeline *timeline)
{
	struct table seen = { .row = 1 };

	writer_begin(json, "results", '{');
	for (size_t i = 0; i < timeline->nshown; i++) {
		const struct shown_call *call = &timeline->shown[i];
		const char *function = timeline->functions.keys[call->function].bytes;
		char name[PRINT_RESULT], key[32];
		size_t before = seen.count;

		snprintf(key, sizeof(key), "%s%d", print_is_runtime(function) ? "runtime" : "", call->result);
		if (table_find(&seen, key, strlen(key)) == TABLE_NONE)
			json->out->error = -ENOMEM;
		if (seen.count != before)
			writer_text(json, key, print_result_text(name, function, call->result));
	}
	writer_end(json, '}');
	table_free(&seen);
}

static void processes(struct writer *json, const struct timeline *timeline)
{
	const struct summary *summary = timeline->summary;

	WRITER_OBJECTS(json, "processes", i, summary->nprocesses) {
		const struct summary_process *process = &summary->processes[i];

		writer_number(json, "pid", process->pid);
		writer_signed(json, "rank", process->fault ? -1 : process->rank);
		writer_text(json, "program", process->program ? process->program : "");
		writer_text(json, "command", process->command ? process->command : "");
		writer_text(json, "host", process->host ? process->host : "");
		writer_text(json, "file", process->path);
		writer_number(json, "end", timeline_at(timeline, process->last_ns));
		writer_number(json, "first", timeline->processes[i].first);
		writer_number(json, "rows", timeline->processes[i].nrows);
	}
}

/* One column of the calls that a row shows. */
enum column { START, DURATION, FUNCTION, CALLER, DEPTH, KERNEL };

static uint64_t value(const struct shown_call *calls, size_t i, enum column column)
{
	switch (column) {
	case START:
		return calls[i].start - (i ? calls[i - 1].start : 0);
	case DURATION:
		return calls[i].duration;
	case FUNCTION:
		return calls[i].function;
	case CALLER:
		return calls[i].caller;
	case DEPTH:
		return calls[i].depth;
	default:
		return calls[i].kernel + 1u;
	}
}

/* Left out where all of it is 0. */
static void column(struct writer *json, const char *key, const struct shown_call *calls,
		   size_t count, enum column column)
{
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= value(calls, i, column);
	if (!any)
		return;
	WRITER_ARRAY(json, key, i, count)
		writer_number(json, NULL, value(calls, i, column));
}

/* Which calls have another result or status than 0, and what; which of the results are errors. */
static void exceptions(struct writer *json, const struct timeline *timeline,
		       const struct shown_call *calls, size_t count)
{
	WRITER_ARRAY(json, "result", i, count) {
		if (!calls[i].result)
			continue;
		writer_number(json, NULL, i);
		writer_signed(json, NULL, calls[i].result);
	}
	WRITER_ARRAY(json, "failed", i, count)
		if (query_is_error(timeline->functions.keys[calls[i].function].bytes, calls[i].result))
			writer_number(json, NULL, i);
	WRITER_ARRAY(json, "skipped", i, count)
		if (calls[i].status & CUAUDIT_TRACE_SKIPPED)
			writer_number(json, NULL, i);
}

static void details(struct writer *json, const struct timeline *timeline,
		    const struct shown_call *calls, size_t count)
{
	WRITER_ARRAY(json, "correlation", i, count)
		writer_large(json, NULL, calls[i].correlation);
	WRITER_ARRAY(json, "text", i, count)
		writer_raw(json, NULL, timeline->texts.data + calls[i].text, calls[i].length);
}

static void row(struct writer *json, const struct timeline *timeline,
		const struct timeline_row *row, const struct shown_call *calls, size_t count)
{
	writer_begin(json, NULL, '{');
	writer_number(json, "process", row->process);
	writer_signed(json, "tid", row->thread ? row->thread->tid : 0);
	writer_text(json, "name", row->thread ? row->thread->name : NULL);
	writer_number(json, "threads", row->nthreads);
	writer_number(json, "calls", row->calls);
	writer_flag(json, "complete", row->complete);
	if (row->length)
		writer_raw(json, "bins", timeline->texts.data + row->text, row->length);
	writer_begin(json, "shown", '{');
	column(json, "start", calls, count, START);
	column(json, "duration", calls, count, DURATION);
	column(json, "function", calls, count, FUNCTION);
	column(json, "caller", calls, count, CALLER);
	column(json, "depth", calls, count, DEPTH);
	column(json, "kernel", calls, count, KERNEL);
	writer_number(json, "count", count);
	exceptions(json, timeline, calls, count);
	if (count && calls[0].length)
		details(json, timeline, calls, count);
	writer_end(json, '}');
	writer_end(json, '}');
}

static void rows(struct writer *json, const struct timeline *timeline)
{
	size_t first = 0, end;

	writer_begin(json, "rows", '[');
	for (size_t i = 0; i < timeline->nrows; i++, first = end) {
		for (end = first; end < timeline->nshown && timeline->shown[end].row == i; end++)
			;
		row(json, timeline, &timeline->rows[i], timeline->shown + first, end - first);
	}
	writer_end(json, ']');
}

static void marks(struct writer *json, const struct timeline *timeline)
{
	WRITER_OBJECTS(json, "marks", i, timeline->nmarks) {
		writer_number(json, "process", timeline->marks[i].process);
		writer_number(json, "at", timeline->marks[i].at);
		writer_text(json, "text", timeline->marks[i].text);
	}
}

static void open_calls(struct writer *json, const struct timeline *timeline)
{
	const struct summary *summary = timeline->summary;

	WRITER_OBJECTS(json, "open", i, summary->nopen < TIMELINE_OPEN ? summary->nopen : TIMELINE_OPEN) {
		const struct summary_open *open = &summary->open[i];
		const struct timeline_thread *thread =
			timeline_thread(timeline, open->process, open->thread);

		writer_number(json, "process", open->process);
		writer_signed(json, "tid", open->tid);
		writer_signed(json, "row", !thread || thread->row == TIMELINE_NO_ROW ? -1 :
			    (int64_t)thread->row);
		writer_text(json, "function", summary->functions[open->function].name);
		writer_number(json, "start", timeline_at(timeline, open->since_ns));
		writer_number(json, "for", open->for_ns);
	}
}

void timeline_json(const struct timeline *timeline, struct writer *json)
{
	writer_begin(json, "timeline", '{');
	writer_large(json, "from", timeline->from);
	writer_number(json, "length", timeline->length);
	writer_number(json, "calls", timeline->summary->counts.calls);
	writer_number(json, "shown", timeline->nshown);
	writer_number(json, "hidden", timeline->hidden);
	writer_number(json, "shift", timeline->shift);
	writer_number(json, "bins", timeline->nbins);
	texts(json, "functions", &timeline->functions);
	WRITER_ARRAY(json, "runtime", i, timeline->functions.count)
		writer_number(json, NULL, print_is_runtime(timeline->functions.keys[i].bytes));
	texts(json, "callers", &timeline->callers);
	texts(json, "kernels", &timeline->kernels);
	results(json, timeline);
	processes(json, timeline);
	rows(json, timeline);
	marks(json, timeline);
	timeline_ranges_json(timeline, json);
	open_calls(json, timeline);
	writer_end(json, '}');
}
