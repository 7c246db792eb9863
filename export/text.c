/* SPDX-License-Identifier: Apache-2.0 */
/* A line a call, in strace's manner. */
#include "export/fields.h"
#include "export/formats.h"
#include "tracefile/arguments.h"

static void line_begin(struct buffer *out, const struct trace *trace, uint32_t thread,
		       uint64_t ticks)
{
	buffer_char(out, '[');
	buffer_unsigned(out, trace->header.pid);
	buffer_text(out, "] ");
	buffer_signed(out, fields_tid(trace_thread(trace, thread)));
	buffer_char(out, ' ');
	fields_seconds(out, trace_ns(trace, ticks));
	buffer_char(out, ' ');
}

static void line_end(struct buffer *out, uint64_t ns, const char *library)
{
	buffer_text(out, " <");
	fields_duration(out, ns);
	buffer_text(out, "> ");
	buffer_name(out, library);
	buffer_char(out, '\n');
}

static int text_call(struct convert *convert, const struct trace *trace,
		     const struct trace_call *call)
{
	SINK_PRINT(convert->sink, out) {
		line_begin(out, trace, call->thread, call->start);
		if (convert->choice.no_arguments)
			trace_bare_print(out, trace, call);
		else
			trace_arguments_print(out, trace, call, CUAUDIT_PRINT_RAW);
		if (call->status & CUAUDIT_TRACE_SKIPPED)
			buffer_text(out, " (by a hook)");
		line_end(out, trace_duration(trace, call->end - call->start),
			 convert_library(trace, call->site)->name);
	}
	return convert->sink->error;
}

static int text_open(struct convert *convert, const struct trace *trace,
		     const struct convert_open *open)
{
	SINK_PRINT(convert->sink, out) {
		line_begin(out, trace, open->thread, open->start);
		buffer_name(out, convert_function(trace, open->site)->name);
		buffer_text(out, "(... <unfinished>");
		line_end(out, trace_duration(trace, open->seen - open->start),
			 convert_library(trace, open->site)->name);
	}
	return convert->sink->error;
}

static int text_mark(struct convert *convert, const struct trace *trace,
		     const struct trace_mark *mark)
{
	SINK_PRINT(convert->sink, out) {
		line_begin(out, trace, mark->thread, mark->ticks);
		buffer_text(out, "--- ");
		buffer_name(out, mark->text);
		buffer_text(out, " ---");
		buffer_char(out, '\n');
	}
	return convert->sink->error;
}

/* "{ name }" took so long, in its domain. */
static int text_range(struct convert *convert, const struct trace *trace,
		      const struct trace_range *range)
{
	char payload[32];

	trace_range_payload(range, payload, sizeof(payload));
	SINK_PRINT(convert->sink, out) {
		line_begin(out, trace, range->thread, range->start);
		buffer_text(out, range->event == CUAUDIT_TRACE_RANGE_MARK ? "--- " : "{ ");
		buffer_name(out, range->text);
		if (*range->category) {
			buffer_text(out, ", ");
			buffer_name(out, range->category);
		}
		if (*payload) {
			buffer_text(out, " = ");
			buffer_text(out, payload);
		}
		buffer_text(out, range->event == CUAUDIT_TRACE_RANGE_MARK ? " ---" : " }");
		if (range->flags & TRACE_RANGE_UNFINISHED)
			buffer_text(out, " <unfinished>");
		if (range->event == CUAUDIT_TRACE_RANGE_MARK)
			buffer_char(out, '\n');
		else
			line_end(out, trace_duration(trace, range->end - range->start),
				 *range->domain ? range->domain : "nvtx");
	}
	return convert->sink->error;
}

const struct convert_format convert_text = {
	.name = "text", .order = CONVERT_BY_TIME, .target = CONVERT_STREAM, .call = text_call,
	.open = text_open, .mark = text_mark, .range = text_range,
};
