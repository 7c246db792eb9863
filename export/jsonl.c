/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, an object a line. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/kernel_launch.h"
#include "export/argument_text.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/json_arguments.h"
#include "export/json_text.h"
#include "tracefile/ending.h"

/* ,"KEY": of a key that is plain. */
#define KEY(key) ",\"" key "\":"

static void put_number(struct buffer *out, const char *key, uint64_t number)
{
	buffer_text(out, key);
	json_unsigned(out, number, INT64_MAX);
}

static void put_text(struct buffer *out, const char *key, const char *text)
{
	buffer_text(out, key);
	escape_text(out, text);
}

/* What every line begins with. */
static void begin(struct buffer *out, const char *type, const struct trace *trace)
{
	buffer_text(out, "{\"type\":\"");
	buffer_text(out, type);
	buffer_char(out, '"');
	put_number(out, KEY("pid"), trace->header.pid);
}

static void end(struct buffer *out)
{
	buffer_text(out, "}\n");
}

static void put_thread(struct buffer *out, const struct trace *trace, uint32_t number)
{
	const struct trace_thread *thread = trace_thread(trace, number);

	put_number(out, KEY("thread"), number);
	if (!thread || !thread->tid)
		return;
	buffer_text(out, KEY("tid"));
	buffer_signed(out, thread->tid);
	put_text(out, KEY("thread_name"), thread->name);
}

static void put_times(struct buffer *out, const struct trace *trace, uint64_t start, uint64_t end)
{
	put_number(out, KEY("start"), trace_ns(trace, start));
	put_number(out, KEY("duration"), trace_duration(trace, end - start));
}

static void put_site(struct buffer *out, const struct convert *convert, const struct trace *trace,
		     uint32_t number)
{
	char caller[FIELDS_PLACE];

	put_text(out, KEY("function"), convert_function(trace, number)->name);
	put_text(out, KEY("library"), convert_library(trace, number)->name);
	put_text(out, KEY("caller"), fields_site(caller, trace, number));
	json_caller(out, convert, trace, number);
}

static void put_arguments(struct buffer *out, const struct convert *convert,
			  const struct trace *trace, const struct trace_call *call)
{
	const struct launch_plan plan = launch_plan(convert_function(trace, call->site));
	struct trace_arguments arguments;
	struct launch launch;

	if ((convert->choice.no_arguments && !plan.launches) ||
	    !trace_arguments_read(&arguments, trace, call))
		return;
	if (launch_read(&launch, &plan, trace, call, &arguments))
		put_text(out, KEY("kernel"), launch.kernel->name);
	if (convert->choice.no_arguments)
		return;
	buffer_text(out, KEY("arguments"));
	json_arguments(out, &arguments);
}

static void put_call(struct buffer *out, const struct convert *convert, const struct trace *trace,
		     const struct trace_call *call)
{
	char result[ARGUMENTS_RESULT];

	begin(out, "call", trace);
	put_thread(out, trace, call->thread);
	put_times(out, trace, call->start, call->end);
	put_number(out, KEY("correlation"), call->correlation);
	put_number(out, KEY("depth"), call->depth);
	put_site(out, convert, trace, call->site);
	put_text(out, KEY("result"), arguments_result(result, trace, call));
	if (trace_error_text(trace, call))
		put_text(out, KEY("error_text"), trace_error_text(trace, call));
	if (call->status & CUAUDIT_TRACE_SKIPPED)
		buffer_text(out, KEY("skipped") "true");
	if (call->arguments)
		put_arguments(out, convert, trace, call);
	if (call->stack != TRACE_NONE)
		json_stack(out, convert, trace, call->stack);
	end(out);
}

static int jsonl_call(struct convert *convert, const struct trace *trace,
		      const struct trace_call *call)
{
	SINK_PRINT(convert->sink, out)
		put_call(out, convert, trace, call);
	return convert->sink->error;
}

static int jsonl_open(struct convert *convert, const struct trace *trace,
		      const struct convert_open *open)
{
	SINK_PRINT(convert->sink, out) {
		begin(out, "unfinished", trace);
		put_thread(out, trace, open->thread);
		put_times(out, trace, open->start, open->seen);
		put_number(out, KEY("depth"), open->depth);
		put_site(out, convert, trace, open->site);
		end(out);
	}
	return convert->sink->error;
}

static int jsonl_mark(struct convert *convert, const struct trace *trace,
		      const struct trace_mark *mark)
{
	SINK_PRINT(convert->sink, out) {
		begin(out, "mark", trace);
		put_thread(out, trace, mark->thread);
		put_number(out, KEY("time"), trace_ns(trace, mark->ticks));
		put_text(out, KEY("text"), mark->text);
		end(out);
	}
	return convert->sink->error;
}

static void put_range(struct buffer *out, const struct trace *trace, const struct trace_range *range)
{
	char payload[32], colour[TRACE_RANGE_WORD];

	begin(out, "range", trace);
	put_text(out, KEY("event"), trace_range_event_name(range));
	put_thread(out, trace, range->thread);
	put_times(out, trace, range->start, range->end);
	if (range->event == CUAUDIT_TRACE_RANGE_START) {
		put_number(out, KEY("id"), range->id & TRACE_RANGE_ID);
		put_number(out, KEY("end_thread"), range->end_thread);
	} else if (range->event == CUAUDIT_TRACE_RANGE_PUSH) {
		put_number(out, KEY("depth"), range->depth);
	}
	put_text(out, KEY("text"), range->text);
	if (*range->domain)
		put_text(out, KEY("domain"), range->domain);
	if (range->category_number)
		put_number(out, KEY("category"), range->category_number);
	if (*range->category)
		put_text(out, KEY("category_name"), range->category);
	trace_range_colour(range, colour);
	if (*colour)
		put_text(out, KEY("colour"), colour);
	trace_range_payload(range, payload, sizeof(payload));
	if (*payload)
		put_text(out, KEY("payload"), payload);
	if (range->flags & TRACE_RANGE_CUT)
		buffer_text(out, KEY("cut") "true");
	if (range->flags & TRACE_RANGE_UNFINISHED)
		buffer_text(out, KEY("unfinished") "true");
	end(out);
}

static int jsonl_range(struct convert *convert, const struct trace *trace,
		       const struct trace_range *range)
{
	SINK_PRINT(convert->sink, out)
		put_range(out, trace, range);
	return convert->sink->error;
}

static void put_process(struct buffer *out, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	char command[sizeof(header->command)];

	begin(out, "process", trace);
	put_number(out, KEY("parent"), header->parent);
	put_text(out, KEY("host"), header->host);
	if (header->rank >= 0)
		put_number(out, KEY("rank"), (uint32_t)header->rank);
	put_text(out, KEY("program"), header->program);
	trace_command(trace, command);
	put_text(out, KEY("command"), command);
	put_number(out, KEY("start"), trace->start_ns);
	if (header->end_ticks)
		put_number(out, KEY("end"), trace_ns(trace, header->end_ticks));
	buffer_text(out, KEY("finished"));
	buffer_text(out, header->flags & CUAUDIT_TRACE_FINISHED ? "true" : "false");
	if (trace_ending_name(header))
		put_text(out, KEY("ending"), trace_ending_name(header));
	if (trace_status(header) >= 0)
		put_number(out, KEY("status"), (uint32_t)trace_status(header));
	put_text(out, KEY("file"), trace->path);
	end(out);
}

static int jsonl_file(struct convert *convert, const struct trace *trace)
{
	SINK_PRINT(convert->sink, out)
		put_process(out, trace);
	return convert->sink->error;
}

static int loss(struct convert *convert, const struct trace *trace, const char *reason,
		uint64_t count)
{
	SINK_PRINT(convert->sink, out) {
		begin(out, "loss", trace);
		put_text(out, KEY("reason"), reason);
		put_number(out, KEY("count"), count);
		end(out);
	}
	return convert->sink->error;
}

static int jsonl_file_end(struct convert *convert, const struct trace *trace)
{
	return convert_each_loss(convert, trace, loss);
}

const struct convert_format convert_jsonl = {
	.name = "jsonl", .order = CONVERT_BY_TIME, .target = CONVERT_STREAM, .file = jsonl_file,
	.call = jsonl_call, .open = jsonl_open, .mark = jsonl_mark, .range = jsonl_range, .file_end = jsonl_file_end,
};
