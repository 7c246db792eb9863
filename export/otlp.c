/* SPDX-License-Identifier: Apache-2.0 */
/* OpenTelemetry spans: OTLP in JSON, a request of many spans a line. */
/*
 * Encoding and names are those of the OTLP specification and the semantic
 * conventions; ids are hexadecimal digits, 64-bit integers are strings.
 */
#include <config.h>

#include <cuaudit/cuda_types.h>
#include <string.h>

#include "analysis/kernel_launch.h"
#include "export/argument_text.h"
#include "export/fields.h"
#include "export/file.h"
#include "export/formats.h"
#include "export/json_text.h"
#include "export/lines.h"
#include "export/nest.h"
#include "tracefile/ending.h"

enum {
	SPANS = 512,		/* of a request */
	SPAN_KIND_INTERNAL = 1,
	STATUS_CODE_ERROR = 2
};

struct state {
	struct nest nest;
	uint32_t spans;		/* of the request that is being written, 0: none is */
	uint64_t id[2];		/* of the trace */
	uint64_t root;		/* the process's span */
	uint64_t first, last;	/* ticks: from the first call or range to the last one's end */
};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Different numbers stay different. */
static uint64_t scatter(uint64_t number)
{
	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

static uint64_t span_id(const struct state *state, uint64_t correlation)
{
	uint64_t id = scatter(correlation ^ state->id[1]);

	return id ? id : 1;
}

/* Numbers of a thread that no process has so many of. */
static uint64_t range_id(const struct convert *convert, const struct trace_range *range)
{
	return span_id(convert->state,
		       UINT64_C(1) << 63 | (uint64_t)(range - convert->ranges->ranges));
}

/* The innermost of these that is a span, else the process's. */
static uint64_t range_around(const struct convert *convert, const struct trace_range *range)
{
	const struct state *state = convert->state;
	const struct trace_range *ranges = convert->ranges->ranges;

	while (range && !convert_file_takes_range(convert->file, range))
		range = range->parent == TRACE_NONE ? NULL : &ranges[range->parent];
	return range ? range_id(convert, range) : state->root;
}

/* A process is a trace, and its first span. */
static int otlp_file(struct convert *convert, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	struct state *state = convert->state;

	for (int i = 0; i < 2; i++) {
		uint64_t hash = UINT64_C(0xcbf29ce484222325) + (uint64_t)i;

		hash = hash_bytes(hash, header->host, strlen(header->host));
		hash = hash_bytes(hash, &header->pid, sizeof(header->pid));
		hash = hash_bytes(hash, &header->start_ns, sizeof(header->start_ns));
		state->id[i] = scatter(hash);
	}
	/* All zeros are no id. */
	state->id[1] += !state->id[1];
	/* No call has this one's correlation. */
	state->root = span_id(state, UINT64_MAX);
	state->first = state->last = trace->start_ticks;
	return 0;
}

/* The lowest so many digits. */
static void digits(struct buffer *out, uint64_t word, int count)
{
	for (int shift = 4 * count - 4; shift >= 0; shift -= 4)
		buffer_char(out, "0123456789abcdef"[word >> shift & 15]);
}

static void hex(struct buffer *out, uint64_t word)
{
	digits(out, word, 16);
}

/* {"key":"KEY","value":{"KIND": and what the caller adds; both are plain. */
static void attribute(struct buffer *out, const char *key, const char *kind)
{
	buffer_text(out, "{\"key\":\"");
	buffer_text(out, key);
	buffer_text(out, "\",\"value\":{\"");
	buffer_text(out, kind);
	buffer_text(out, "\":");
}

/* With a comma behind it. */
static void add_text(struct buffer *out, const char *key, const char *text)
{
	attribute(out, key, "stringValue");
	escape_text(out, text);
	buffer_text(out, "}},");
}

static void add_number(struct buffer *out, const char *key, int64_t number)
{
	attribute(out, key, "intValue");
	buffer_char(out, '"');
	buffer_signed(out, number);
	buffer_text(out, "\"}},");
}

static void add_flag(struct buffer *out, const char *key, bool flag)
{
	attribute(out, key, "boolValue");
	buffer_text(out, flag ? "true}}," : "false}},");
}

static void add_command(struct buffer *out, const struct cuaudit_trace_header *header)
{
	const char *at = header->command, *end = at + sizeof(header->command);

	attribute(out, "process.command_args", "arrayValue");
	buffer_text(out, "{\"values\":[");
	for (; at < end && *at; at += strlen(at) + 1) {
		buffer_text(out, at == header->command ? "{\"stringValue\":" : ",{\"stringValue\":");
		escape_text(out, at);
		buffer_char(out, '}');
	}
	buffer_text(out, "]}}},");
}

/* The trace's id in the form of a UUID, of version 8: by a method of one's own. */
static void add_instance(struct buffer *out, const struct state *state)
{
	attribute(out, "service.instance.id", "stringValue");
	buffer_char(out, '"');
	digits(out, state->id[0] >> 32, 8);
	buffer_char(out, '-');
	digits(out, state->id[0] >> 16, 4);
	buffer_text(out, "-8");
	digits(out, state->id[0], 3);
	buffer_char(out, '-');
	digits(out, 0x8000 | (state->id[1] >> 48 & 0x3fff), 4);
	buffer_char(out, '-');
	digits(out, state->id[1], 12);
	buffer_text(out, "\"}},");
}

static void request_begin(struct buffer *out, const struct state *state, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;

	buffer_text(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
	add_text(out, "service.name", fields_program(trace));
	add_instance(out, state);
	add_text(out, "host.name", header->host);
	add_number(out, "process.pid", header->pid);
	add_number(out, "process.parent_pid", header->parent);
	add_text(out, "process.executable.path", header->program);
	add_command(out, header);
	if (header->rank >= 0)
		add_number(out, "cuda.rank", header->rank);
	add_text(out, "telemetry.sdk.name", "cuaudit");
	add_text(out, "telemetry.sdk.language", "cpp");
	attribute(out, "telemetry.sdk.version", "stringValue");
	buffer_text(out, "\"" PACKAGE_VERSION "\"}}]},\"scopeSpans\":[{\"scope\":"
		    "{\"name\":\"cuaudit\",\"version\":\"" PACKAGE_VERSION "\"},\"spans\":[");
}

static int request_end(struct convert *convert)
{
	struct state *state = convert->state;

	if (state->spans)
		sink_text(convert->sink, "]}]}]}\n");
	state->spans = 0;
	return convert->sink->error;
}

static void add_argument(struct buffer *out, const struct trace_arguments *arguments,
			 const struct print_param *param, uint32_t index)
{
	char key[128], text[ARGUMENTS_TEXT];
	struct buffer name = { key, sizeof(key), 0 };
	uint8_t kind = param->shape.value.kind;
	uint64_t number;

	buffer_text(&name, "cuda.argument.");
	buffer_text(&name, param->name);
	buffer_end(&name);
	if ((kind == PRINT_INT || kind == PRINT_UINT) &&
	    arguments_number(arguments, param, &number) && (kind == PRINT_INT || number <= INT64_MAX)) {
		add_number(out, key, (int64_t)number);
		return;
	}
	arguments_value(text, sizeof(text), arguments, arguments->function->params, index);
	add_text(out, key, text);
}

static void add_arguments(struct buffer *out, const struct convert *convert,
			  const struct trace *trace, const struct trace_call *call)
{
	const struct launch_plan plan = launch_plan(convert_function(trace, call->site));
	const struct trace_function *function;
	struct trace_arguments arguments;
	struct launch launch;
	uint32_t count;

	if ((convert->choice.no_arguments && !plan.launches) ||
	    !trace_arguments_read(&arguments, trace, call))
		return;
	if (launch_read(&launch, &plan, trace, call, &arguments))
		add_text(out, "cuda.kernel", launch.kernel->name);
	function = arguments.function;
	count = convert->choice.no_arguments ? 0 : function->nparams;
	for (uint32_t i = 0; i < count; i++)
		add_argument(out, &arguments, &function->params[i], i);
	if (function->has_others && !convert->choice.no_arguments)
		add_text(out, "cuda.argument....", "?");
}

static void add_site(struct buffer *out, const struct convert *convert, const struct trace *trace,
		     uint32_t site)
{
	struct symbol_stack found = lines_site(convert, trace, site);
	char text[FIELDS_PLACE];

	add_text(out, "cuda.library", convert_library(trace, site)->name);
	add_text(out, "cuda.caller", fields_site(text, trace, site));
	if (!found.count)
		return;
	add_text(out, "code.function.name", found.at->function);
	if (!found.at->file)
		return;
	add_text(out, "code.file.path", found.at->file);
	add_number(out, "code.line.number", found.at->line);
}

static bool failed(const struct trace *trace, const struct trace_call *call)
{
	return trace_is_error(convert_function(trace, call->site), call->result);
}

static void add_status(struct buffer *out, const char *function, int32_t result)
{
	buffer_text(out, ",\"status\":{\"code\":");
	buffer_unsigned(out, STATUS_CODE_ERROR);
	buffer_text(out, ",\"message\":\"");
	print_result_name(out, function, result);
	buffer_text(out, "\"}");
}

static void add_result(struct buffer *out, const char *key, const char *function, int32_t result)
{
	char name[PRINT_RESULT];

	add_text(out, key, print_result_text(name, function, result));
}

/* A frame a line, the caller first; the outermost ones are cut off where it would be too long. */
static void add_stack(struct buffer *out, const struct convert *convert, const struct trace *trace,
		      uint32_t number)
{
	char text[16384];
	struct buffer frames = { text, sizeof(text), 0 };

	lines_stack(&frames, convert, trace, number, "\n");
	buffer_end(&frames);
	add_text(out, "code.stacktrace", text);
}

static void add_attributes(struct buffer *out, const struct convert *convert,
			   const struct trace *trace, const struct trace_call *call)
{
	const struct trace_thread *thread = trace_thread(trace, call->thread);
	const struct trace_function *function = convert_function(trace, call->site);
	char text[ARGUMENTS_RESULT];

	add_number(out, "thread.id", fields_tid(thread));
	add_text(out, "thread.name", fields_thread_name(thread));
	add_site(out, convert, trace, call->site);
	if (!(call->status & NEST_OPEN))
		add_number(out, "cuda.correlation", (int64_t)call->correlation);
	if (call->status & CUAUDIT_TRACE_SKIPPED) {
		add_flag(out, "cuda.skipped", true);
	}
	if (call->arguments)
		add_arguments(out, convert, trace, call);
	if (call->stack != TRACE_NONE)
		add_stack(out, convert, trace, call->stack);
	if (call->status & NEST_OPEN) {
		add_flag(out, "cuda.unfinished", true);
	} else {
		if (failed(trace, call))
			add_result(out, "error.type", function->name, call->result);
		if (function->has_result || !trace_result_unknown(function, call->result))
			add_text(out, "cuda.result", arguments_result(text, trace, call));
		if (trace_error_text(trace, call))
			add_text(out, "exception.message", trace_error_text(trace, call));
	}
	/* The last one's comma. */
	out->length--;
}

/* A span up to its attributes; parent: 0 for none. */
static void span_begin(struct buffer *out, const struct state *state, uint64_t id, uint64_t parent,
		       const char *name, uint64_t start, uint64_t end)
{
	buffer_text(out, "{\"traceId\":\"");
	hex(out, state->id[0]);
	hex(out, state->id[1]);
	buffer_text(out, "\",\"spanId\":\"");
	hex(out, id);
	if (parent) {
		buffer_text(out, "\",\"parentSpanId\":\"");
		hex(out, parent);
	}
	buffer_text(out, "\",\"name\":");
	escape_text(out, name);
	buffer_text(out, ",\"kind\":");
	buffer_unsigned(out, SPAN_KIND_INTERNAL);
	buffer_text(out, ",\"startTimeUnixNano\":\"");
	buffer_unsigned(out, start);
	buffer_text(out, "\",\"endTimeUnixNano\":\"");
	buffer_unsigned(out, end);
	buffer_text(out, "\",\"attributes\":[");
}

static void span(struct buffer *out, const struct convert *convert, const struct trace *trace,
		 const struct trace_call *call, uint64_t parent)
{
	const struct state *state = convert->state;

	span_begin(out, state, span_id(state, call->correlation), parent ? parent :
		   range_around(convert, convert_range(convert, call->thread, call->start)),
		   convert_function(trace, call->site)->name, trace_ns(trace, call->start),
		   trace_ns(trace, call->end));
	add_attributes(out, convert, trace, call);
	buffer_char(out, ']');
	if (failed(trace, call))
		add_status(out, convert_function(trace, call->site)->name, call->result);
	buffer_char(out, '}');
}

/* What comes before a span: a comma, or the request. */
static void span_before(struct buffer *out, const struct state *state, const struct trace *trace)
{
	if (state->spans)
		buffer_char(out, ',');
	else
		request_begin(out, state, trace);
}

static int span_after(struct convert *convert)
{
	struct state *state = convert->state;

	return ++state->spans == SPANS ? request_end(convert) : convert->sink->error;
}

static int take(struct convert *convert, const struct trace *trace, const struct trace_call *call,
		uint64_t parent, uint64_t *self)
{
	struct state *state = convert->state;

	*self = span_id(state, call->correlation);
	SINK_PRINT(convert->sink, out) {
		span_before(out, state, trace);
		span(out, convert, trace, call, parent);
	}
	return span_after(convert);
}

static const struct nest_ops nest_ops = { .take = take };

static void see(struct state *state, uint64_t start, uint64_t end)
{
	if ((int64_t)(start - state->first) < 0)
		state->first = start;
	if ((int64_t)(end - state->last) > 0)
		state->last = end;
}

static void range_attributes(struct buffer *out, const struct trace *trace,
			     const struct trace_range *range)
{
	const struct trace_thread *thread = trace_thread(trace, range->thread);
	char payload[32], colour[TRACE_RANGE_WORD], number[TRACE_RANGE_WORD];
	const char *category = trace_range_category(range, number);

	trace_range_payload(range, payload, sizeof(payload));
	if (thread) {
		add_number(out, "thread.id", fields_tid(thread));
		add_text(out, "thread.name", fields_thread_name(thread));
	}
	add_text(out, "nvtx.event", trace_range_event_name(range));
	if (*range->domain)
		add_text(out, "nvtx.domain", range->domain);
	if (*category)
		add_text(out, "nvtx.category", category);
	trace_range_colour(range, colour);
	if (*colour)
		add_text(out, "nvtx.colour", colour);
	if (*payload)
		add_text(out, "nvtx.payload", payload);
	if (range->flags & TRACE_RANGE_UNFINISHED)
		add_flag(out, "nvtx.unfinished", true);
	out->length--;
}

static int otlp_range(struct convert *convert, const struct trace *trace,
		      const struct trace_range *range)
{
	struct state *state = convert->state;
	uint64_t start = trace_ns(trace, range->start), end = trace_ns(trace, range->end);
	const struct trace_range *ranges = convert->ranges->ranges;
	const struct trace_range *parent = range->parent == TRACE_NONE ? NULL : &ranges[range->parent];

	see(state, range->start, range->end);
	SINK_PRINT(convert->sink, out) {
		span_before(out, state, trace);
		span_begin(out, state, range_id(convert, range), range_around(convert, parent),
			   *range->text ? range->text : "(no name)", start, end);
		range_attributes(out, trace, range);
		buffer_text(out, "]}");
	}
	return span_after(convert);
}

static int otlp_call(struct convert *convert, const struct trace *trace,
		     const struct trace_call *call)
{
	struct state *state = convert->state;

	see(state, call->start, call->end);
	return nest_call(&state->nest, convert, trace, call);
}

/* Its correlation is not recorded: numbers from the last one down are no call's. */
static int otlp_open(struct convert *convert, const struct trace *trace,
		     const struct convert_open *open)
{
	struct trace_call call = nest_open(open);

	call.correlation = UINT64_MAX - convert->opens;
	return otlp_call(convert, trace, &call);
}

/* Of the process, from its first calls to its end, or to the last call's where that is not known. */
static int put_root(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	uint64_t end = trace->header.end_ticks > state->last ? trace->header.end_ticks : state->last;

	SINK_PRINT(convert->sink, out) {
		span_before(out, state, trace);
		span_begin(out, state, state->root, 0, fields_program(trace),
			   trace_ns(trace, state->first), trace_ns(trace, end));
		if (trace_status(&trace->header) >= 0)
			add_number(out, "process.exit.code", trace_status(&trace->header));
		add_flag(out, "cuda.finished", trace->header.flags & CUAUDIT_TRACE_FINISHED);
		out->length--;
		buffer_text(out, "]}");
	}
	return span_after(convert);
}

static int otlp_file_end(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;

	return nest_flush(&state->nest, convert, trace) ?: put_root(convert, trace) ?:
	       request_end(convert);
}

static int otlp_begin(struct convert *convert)
{
	struct state *state = convert->state;

	state->nest.ops = &nest_ops;
	return 0;
}

static void otlp_release(struct convert *convert)
{
	struct state *state = convert->state;

	nest_free(&state->nest);
}

const struct convert_format convert_otlp = {
	.name = "otlp", .order = CONVERT_BY_THREAD, .target = CONVERT_STREAM, .nests = true,
	.state = sizeof(struct state), .begin = otlp_begin, .file = otlp_file, .call = otlp_call,
	.open = otlp_open, .range = otlp_range, .file_end = otlp_file_end, .release = otlp_release,
};
