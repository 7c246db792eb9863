/* SPDX-License-Identifier: Apache-2.0 */
/* The Trace Event Format of chrome://tracing, as a JSON object. */
/*
 * Its times are microseconds in doubles, which hold nanoseconds of a day but
 * not of an epoch: they count from the first trace's beginning, told in
 * otherData. An event is a line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/api.h>

#include "analysis/kernel_launch.h"
#include "analysis/device_memory.h"
#include "export/argument_text.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/handles.h"
#include "export/json_arguments.h"
#include "export/json_text.h"
#include "export/pids.h"
#include "util/bytes.h"

/* Numbers of threads that are none of Linux. */
enum { TID_UNNAMED = 1 << 23, TID_UNKNOWN = 1 << 28, TID_STREAMS = 1 << 29, TID_PROCESS = 1 << 30 };

/* What all calls from a site have, in chrome.text. */
struct part {
	size_t at, size;
};

struct chrome {
	uint64_t events, flows, ranges;
	struct pids pids;
	/* Of the file at hand. */
	uint32_t pid;
	uint64_t last_ns;
	struct typed_function *functions;
	struct part *sites;
	struct bytes text;
	struct handles *streams, *others;	/* others: threads that nothing describes */
	struct memory_usage held;
};

static int chrome_begin(struct convert *convert)
{
	SINK_PRINT(convert->sink, out) {
		buffer_text(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"cuaudit\","
			    "\"clock\":\"CLOCK_REALTIME\",\"ts_0_ns\":\"");
		buffer_unsigned(out, convert->first_ns);
		buffer_text(out, "\"},\"traceEvents\":[");
	}
	return convert->sink->error;
}

static int chrome_end(struct convert *convert)
{
	sink_text(convert->sink, "\n]}\n");
	return convert->sink->error;
}

/* The beginning of an event: its kind, process and thread. */
static void event(struct buffer *out, const struct chrome *chrome, char kind, uint32_t tid)
{
	buffer_text(out, chrome->events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	buffer_char(out, kind);
	buffer_text(out, "\",\"pid\":");
	buffer_unsigned(out, chrome->pid);
	buffer_text(out, ",\"tid\":");
	buffer_unsigned(out, tid);
}

static void microseconds(struct buffer *out, const char *key, int64_t ns)
{
	uint64_t value = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	buffer_text(out, key);
	if (ns < 0)
		buffer_char(out, '-');
	buffer_unsigned(out, value / 1000);
	buffer_char(out, '.');
	for (uint64_t one = 100; one; one /= 10)
		buffer_char(out, (char)('0' + value / one % 10));
}

static void timestamp(struct buffer *out, const struct convert *convert, uint64_t ns)
{
	microseconds(out, ",\"ts\":", (int64_t)(ns - convert->first_ns));
}

/* What viewers call a process or a thread. */
static int metadata(struct convert *convert, struct chrome *chrome, uint32_t tid, const char *what,
		    const char *key, const char *text)
{
	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'M', tid);
		buffer_text(out, ",\"name\":\"");
		buffer_text(out, what);
		buffer_text(out, "\",\"args\":{\"");
		buffer_text(out, key);
		buffer_text(out, "\":");
		escape_text(out, text);
		buffer_text(out, "}}");
	}
	chrome->events++;
	return convert->sink->error;
}

static int put_process(struct convert *convert, struct chrome *chrome, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	char name[1200], labels[4096], *at = labels, *end = labels + sizeof(labels);
	char rank[32] = "", pid[32] = "";
	size_t length = 0;
	int error;

	chrome->pid = pids_take(&chrome->pids, header->pid);
	if (!chrome->pid)
		return -ENOMEM;
	if (header->rank >= 0)
		snprintf(rank, sizeof(rank), "rank %d", header->rank);
	if (chrome->pid != header->pid)
		snprintf(pid, sizeof(pid), ", pid %u", header->pid);
	snprintf(name, sizeof(name), "%s%s%s%s", fields_program(trace),
		 *rank ? " (" : "", rank, *rank ? ")" : "");
	error = metadata(convert, chrome, 0, "process_name", "name", name);
	at += snprintf(at, (size_t)(end - at), "host %s%s%s%s: ", header->host, *rank ? ", " : "",
		       rank, pid);
	for (; length < sizeof(header->command) && header->command[length]; length++) {
		at += snprintf(at, (size_t)(end - at), "%s%s", length ? " " : "",
			       header->command + length);
		length += strlen(header->command + length);
	}
	return error ?: metadata(convert, chrome, 0, "process_labels", "labels", labels);
}

static uint32_t tid_of(const struct trace_thread *thread)
{
	return thread->tid > 0 ? (uint32_t)thread->tid : TID_UNNAMED + thread->number;
}

static int put_thread(struct convert *convert, struct chrome *chrome, uint32_t tid,
		      const char *name, uint32_t number)
{
	char numbered[32];

	if (!*name) {
		snprintf(numbered, sizeof(numbered), "thread %u", number);
		name = numbered;
	}
	return metadata(convert, chrome, tid, "thread_name", "name", name);
}

static int put_threads(struct convert *convert, struct chrome *chrome, const struct trace *trace)
{
	int error = 0;

	for (size_t i = 0; !error && i < trace->nthreads; i++)
		error = put_thread(convert, chrome, tid_of(&trace->threads[i]),
				   trace->threads[i].name, trace->threads[i].number);
	return error;
}

/* One that took over a chunk and was never described is named at its first call. */
static int thread_number(struct convert *convert, struct chrome *chrome, const struct trace *trace,
			 uint32_t number, uint32_t *tid)
{
	const struct trace_thread *thread = trace_thread(trace, number);
	bool fresh;

	if (thread) {
		*tid = tid_of(thread);
		return 0;
	}
	*tid = TID_UNKNOWN + handles_number(chrome->others, number, &fresh);
	return fresh ? put_thread(convert, chrome, *tid, "", number) : 0;
}

static void site_text(struct buffer *out, const struct convert *convert, const struct trace *trace,
		      uint32_t number)
{
	const struct trace_site *site = &trace->sites[number];
	const struct trace_function *function = &trace->functions[site->function];
	char caller[FIELDS_PLACE];

	buffer_text(out, ",\"name\":");
	escape_text(out, function->name);
	buffer_text(out, ",\"cat\":\"");
	fields_classes(out, function->classes);
	buffer_text(out, "\",\"args\":{\"library\":");
	escape_text(out, trace->libraries[site->library].name);
	buffer_text(out, ",\"caller\":");
	escape_text(out, fields_site(caller, trace, number));
	json_caller(out, convert, trace, number);
}

static int add_site(const struct convert *convert, struct chrome *chrome, const struct trace *trace,
		    uint32_t number)
{
	enum { ROOM = 1024 };
	struct buffer out;
	size_t room = ROOM;

	do {
		out = (struct buffer){ (char *)bytes_room(&chrome->text, room), room, 0 };
		if (!out.at)
			return -ENOMEM;
		site_text(&out, convert, trace, number);
		room = out.length + 1;
	} while (out.length >= out.size);
	chrome->sites[number] = (struct part){ chrome->text.used, out.length };
	chrome->text.used += out.length;
	return 0;
}

static void forget(struct chrome *chrome)
{
	free(chrome->functions);
	free(chrome->sites);
	free(chrome->streams);
	free(chrome->others);
	memory_usage_free(&chrome->held);
	chrome->text.used = 0;
}

static int remember(const struct convert *convert, struct chrome *chrome,
		    const struct trace *trace)
{
	int error = 0;

	forget(chrome);
	chrome->functions = typed_functions(trace);
	chrome->sites = calloc(trace->nsites + 1, sizeof(*chrome->sites));
	chrome->streams = calloc(1, sizeof(*chrome->streams));
	chrome->others = calloc(1, sizeof(*chrome->others));
	if (!chrome->functions || !chrome->sites || !chrome->streams || !chrome->others)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < trace->nsites; i++)
		if (trace->sites[i].function != TRACE_NONE)
			error = add_site(convert, chrome, trace, i);
	return error ?: memory_usage_begin(&chrome->held, trace);
}

static int chrome_file(struct convert *convert, const struct trace *trace)
{
	struct chrome *chrome = convert->state;

	return remember(convert, chrome, trace) ?: put_process(convert, chrome, trace) ?:
	       put_threads(convert, chrome, trace);
}

static void put_arguments(struct buffer *out, const struct typed_params *params,
			  const struct trace_arguments *arguments)
{
	char scratch[TYPED_SCRATCH];
	struct typed typed;
	bool some = false;

	buffer_text(out, ",\"arguments\":{");
	for (uint32_t i = 0; i < params->count; i++) {
		if (!typed_read(&typed, arguments, params, i, scratch))
			continue;
		if (some)
			buffer_char(out, ',');
		some = true;
		escape_text(out, params->params[i].name);
		buffer_char(out, ':');
		escape_typed(out, &typed);
	}
	buffer_char(out, '}');
}

static void put_details(struct buffer *out, const struct convert *convert,
			const struct trace *trace, const struct trace_call *call)
{
	char result[ARGUMENTS_RESULT];

	buffer_text(out, ",\"correlation\":");
	json_unsigned(out, call->correlation, JSON_EXACT);
	buffer_text(out, ",\"result\":");
	escape_text(out, arguments_result(result, trace, call));
	if (trace_error_text(trace, call)) {
		buffer_text(out, ",\"error_text\":");
		escape_text(out, trace_error_text(trace, call));
	}
	if (call->depth) {
		buffer_text(out, ",\"depth\":");
		buffer_unsigned(out, call->depth);
	}
	if (call->status & CUAUDIT_TRACE_SKIPPED)
		buffer_text(out, ",\"status\":\"answered by a hook\"");
	if (call->stack != TRACE_NONE)
		json_stack(out, convert, trace, call->stack);
}

static void site_part(struct buffer *out, const struct chrome *chrome, uint32_t site)
{
	const struct part *part = &chrome->sites[site];

	buffer_bytes(out, (const char *)chrome->text.data + part->at, part->size);
}

static int put_slice(struct convert *convert, struct chrome *chrome, const struct trace *trace,
		     const struct trace_call *call, uint32_t tid,
		     const struct trace_arguments *arguments, const struct launch *launch)
{
	uint32_t function = trace->sites[call->site].function;
	uint64_t start = trace_ns(trace, call->start);

	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'X', tid);
		timestamp(out, convert, start);
		microseconds(out, ",\"dur\":", (int64_t)(chrome->last_ns - start));
		site_part(out, chrome, call->site);
		put_details(out, convert, trace, call);
		if (launch) {
			buffer_text(out, ",\"kernel\":");
			escape_text(out, launch->kernel->name);
		}
		if (arguments && !convert->choice.no_arguments)
			put_arguments(out, &chrome->functions[function].params, arguments);
		buffer_text(out, "}}");
	}
	chrome->events++;
	return convert->sink->error;
}

static void put_flow(struct buffer *out, const struct chrome *chrome)
{
	buffer_text(out, ",\"name\":\"launch\",\"cat\":\"launch\",\"id\":");
	buffer_unsigned(out, chrome->flows);
}

/* A mark of 1 ns where the launch's stream is, since arrows end at slices, and the arrow. */
static int put_launch(struct convert *convert, struct chrome *chrome, const struct trace *trace,
		      const struct trace_call *call, uint32_t tid, const struct launch *launch)
{
	char name[HANDLES_NAME];
	bool fresh;
	uint32_t stream = TID_STREAMS + handles_number(chrome->streams, launch->stream, &fresh);
	int error = 0;

	handles_stream_name(name, trace, launch->stream);
	if (fresh)
		error = metadata(convert, chrome, stream, "thread_name", "name", name);
	chrome->flows++;
	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'X', stream);
		timestamp(out, convert, chrome->last_ns);
		buffer_text(out, ",\"dur\":0.001,\"cat\":\"kernel launched\",\"name\":");
		escape_text(out, launch->kernel->name);
		buffer_text(out, ",\"args\":{\"correlation\":");
		json_unsigned(out, call->correlation, JSON_EXACT);
		buffer_text(out, "}}");
		event(out, chrome, 's', tid);
		timestamp(out, convert, trace_ns(trace, call->start));
		put_flow(out, chrome);
		buffer_char(out, '}');
		event(out, chrome, 'f', stream);
		timestamp(out, convert, chrome->last_ns);
		put_flow(out, chrome);
		buffer_text(out, ",\"bp\":\"e\"}");
	}
	chrome->events += 3;
	return error ?: convert->sink->error;
}

static int put_memory(struct convert *convert, struct chrome *chrome, const struct trace_call *call)
{
	int changed = memory_usage_call(&chrome->held, call);

	if (changed <= 0)
		return changed;
	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'C', 0);
		timestamp(out, convert, chrome->last_ns);
		buffer_text(out, ",\"name\":\"device memory\",\"args\":{\"bytes\":");
		buffer_unsigned(out, chrome->held.memory.device.held);
		buffer_text(out, "}}");
	}
	chrome->events++;
	return convert->sink->error;
}

static int chrome_call(struct convert *convert, const struct trace *trace,
		       const struct trace_call *call)
{
	struct chrome *chrome = convert->state;
	uint32_t function = trace->sites[call->site].function, tid;
	struct trace_arguments read, *arguments = NULL;
	struct launch launch;
	bool launched;
	int error = thread_number(convert, chrome, trace, call->thread, &tid);

	chrome->last_ns = trace_ns(trace, call->end);
	if (call->arguments && trace_arguments_read(&read, trace, call))
		arguments = &read;
	launched = arguments && launch_read(&launch, &chrome->functions[function].launch, trace, call,
					    arguments);
	if (!error)
		error = put_slice(convert, chrome, trace, call, tid, arguments,
				  launched ? &launch : NULL);
	if (!error && launched)
		error = put_launch(convert, chrome, trace, call, tid, &launch);
	return error ?: put_memory(convert, chrome, call);
}

/* A beginning without an end is what viewers show as not finished. */
static int chrome_open(struct convert *convert, const struct trace *trace,
		       const struct convert_open *open)
{
	struct chrome *chrome = convert->state;
	uint32_t tid;
	int error = thread_number(convert, chrome, trace, open->thread, &tid);

	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'B', tid);
		timestamp(out, convert, trace_ns(trace, open->start));
		site_part(out, chrome, open->site);
		buffer_text(out, ",\"status\":\"unfinished\"}}");
	}
	chrome->events++;
	return error ?: convert->sink->error;
}

static int put_text(struct convert *convert, struct chrome *chrome, uint64_t ns, uint32_t tid,
		    const char *text)
{
	SINK_PRINT(convert->sink, out) {
		event(out, chrome, 'i', tid);
		timestamp(out, convert, ns);
		buffer_text(out, ",\"s\":\"p\",\"name\":");
		escape_text(out, text);
		buffer_char(out, '}');
	}
	chrome->events++;
	return convert->sink->error;
}

static int chrome_mark(struct convert *convert, const struct trace *trace,
		       const struct trace_mark *mark)
{
	struct chrome *chrome = convert->state;
	uint32_t tid;

	return thread_number(convert, chrome, trace, mark->thread, &tid) ?:
	       put_text(convert, chrome, trace_ns(trace, mark->ticks), tid, mark->text);
}

static void range_text(struct buffer *out, const struct chrome *chrome, const struct trace_range *range,
		       const char *payload, bool apart)
{
	char colour[TRACE_RANGE_WORD], number[TRACE_RANGE_WORD];
	const char *category = trace_range_category(range, number);

	buffer_text(out, ",\"cat\":\"nvtx\",\"name\":");
	escape_text(out, range->text);
	if (apart) {
		buffer_text(out, ",\"id\":");
		buffer_unsigned(out, chrome->ranges + 1);
	}
	buffer_text(out, ",\"args\":{\"event\":\"");
	buffer_text(out, trace_range_event_name(range));
	buffer_char(out, '"');
	if (*range->domain) {
		buffer_text(out, ",\"domain\":");
		escape_text(out, range->domain);
	}
	if (*category) {
		buffer_text(out, ",\"category\":");
		escape_text(out, category);
	}
	trace_range_colour(range, colour);
	if (*colour) {
		buffer_text(out, ",\"colour\":");
		escape_text(out, colour);
	}
	if (*payload) {
		buffer_text(out, ",\"payload\":");
		escape_text(out, payload);
	}
	if (range->flags & TRACE_RANGE_UNFINISHED)
		buffer_text(out, ",\"status\":\"unfinished\"");
}

/*
 * On the thread's row, around its calls: 'X', or a beginning alone of what has not ended. What does not
 * nest there, and what any thread may end: 'b' and 'e'.
 */
static int chrome_range(struct convert *convert, const struct trace *trace,
			const struct trace_range *range)
{
	struct chrome *chrome = convert->state;
	bool apart = range->event == CUAUDIT_TRACE_RANGE_START || range->flags & TRACE_RANGE_CROSSING;
	bool mark = range->event == CUAUDIT_TRACE_RANGE_MARK, open = range->flags & TRACE_RANGE_UNFINISHED;
	uint64_t start = trace_ns(trace, range->start), end = trace_ns(trace, range->end);
	char payload[32];
	uint32_t tid = TID_PROCESS;
	int error = range->thread ? thread_number(convert, chrome, trace, range->thread, &tid) : 0;

	trace_range_payload(range, payload, sizeof(payload));
	SINK_PRINT(convert->sink, out) {
		event(out, chrome, mark ? 'i' : apart ? 'b' : open ? 'B' : 'X', tid);
		timestamp(out, convert, start);
		if (mark)
			buffer_text(out, ",\"s\":\"t\"");
		else if (!apart && !open)
			microseconds(out, ",\"dur\":", (int64_t)(end - start));
		range_text(out, chrome, range, payload, apart);
		buffer_text(out, "}}");
		if (apart) {
			chrome->events++;
			event(out, chrome, 'e', tid);
			timestamp(out, convert, end);
			range_text(out, chrome, range, payload, apart);
			buffer_text(out, "}}");
		}
	}
	chrome->events++;
	chrome->ranges += apart;
	return error ?: convert->sink->error;
}

static int chrome_file_end(struct convert *convert, const struct trace *trace)
{
	struct chrome *chrome = convert->state;
	char text[512] = "";
	struct buffer out = { text, sizeof(text), 0 };

	convert_losses(&out, trace, convert->damaged);
	return *text ? put_text(convert, chrome, chrome->last_ns, TID_PROCESS, text) : 0;
}

static void chrome_release(struct convert *convert)
{
	struct chrome *chrome = convert->state;

	forget(chrome);
	bytes_free(&chrome->text);
	pids_free(&chrome->pids);
}

const struct convert_format convert_chrome = {
	.name = "chrome", .order = CONVERT_BY_FILE, .target = CONVERT_STREAM,
	.state = sizeof(struct chrome), .begin = chrome_begin, .file = chrome_file,
	.call = chrome_call, .open = chrome_open, .mark = chrome_mark, .range = chrome_range, .file_end = chrome_file_end,
	.end = chrome_end, .release = chrome_release,
};
