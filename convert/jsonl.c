/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, an object a line. */
#include <stdlib.h>

#include "convert/fields.h"
#include "convert/formats.h"
#include "convert/json.h"
#include "convert/launch.h"

struct state {
	struct utf8_scratch scratch;
};

static struct utf8_scratch *scratch_of(struct convert *convert)
{
	return &((struct state *)convert->state)->scratch;
}

static void set_text(struct convert *convert, json_t *object, const char *key, const char *text)
{
	json_object_set_new_nocheck(object, key, json_text(scratch_of(convert), text));
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
	json_object_set_new_nocheck(object, key, json_unsigned(number));
}

/* What every line begins with. */
static json_t *line(const char *type, const struct trace *trace)
{
	json_t *object = json_object();

	json_object_set_new_nocheck(object, "type", json_string_nocheck(type));
	set_number(object, "pid", trace->header.pid);
	return object;
}

static void set_thread(struct convert *convert, json_t *object, const struct trace *trace,
		       uint32_t number)
{
	const struct trace_thread *thread = trace_thread(trace, number);

	set_number(object, "thread", number);
	if (!thread || !thread->tid)
		return;
	json_object_set_new_nocheck(object, "tid", json_integer(thread->tid));
	set_text(convert, object, "thread_name", thread->name);
}

static void set_times(json_t *object, const struct trace *trace, uint64_t start, uint64_t end)
{
	set_number(object, "start", trace_ns(trace, start));
	set_number(object, "duration", trace_duration(trace, end - start));
}

static void set_buffer(struct convert *convert, json_t *object, const char *key,
		       struct buffer *out)
{
	buffer_end(out);
	set_text(convert, object, key, out->at);
}

static void set_site(struct convert *convert, json_t *object, const struct trace *trace,
		     uint32_t site)
{
	char text[512];
	struct buffer caller = { text, sizeof(text), 0 };

	set_text(convert, object, "function", convert_function(trace, site)->name);
	set_text(convert, object, "library", convert_library(trace, site)->name);
	fields_caller(&caller, trace, site);
	set_buffer(convert, object, "caller", &caller);
}

static void set_stack(struct convert *convert, json_t *object, const struct trace *trace,
		      uint32_t number)
{
	const struct trace_callers *callers = &trace->callers[number];
	json_t *array = json_array();

	for (uint32_t i = 0; i < callers->count; i++) {
		char text[512];
		struct buffer frame = { text, sizeof(text), 0 };

		fields_address(&frame, trace, callers->frames[i].library,
			       callers->frames[i].address);
		buffer_end(&frame);
		json_array_append_new(array, json_text(scratch_of(convert), text));
	}
	json_object_set_new_nocheck(object, "stack", array);
}

static void set_arguments(struct convert *convert, json_t *object, const struct trace *trace,
			  const struct trace_call *call)
{
	const struct launch_plan plan = launch_plan(convert_function(trace, call->site));
	struct trace_arguments arguments;
	struct launch launch;

	if ((convert->choice.no_arguments && !plan.launches) ||
	    !trace_arguments_read(&arguments, trace, call))
		return;
	if (launch_read(&launch, &plan, trace, call, &arguments))
		set_text(convert, object, "kernel", launch.kernel->name);
	if (!convert->choice.no_arguments)
		json_object_set_new_nocheck(object, "arguments",
					    json_arguments(scratch_of(convert), &arguments));
}

static int jsonl_call(struct convert *convert, const struct trace *trace,
		      const struct trace_call *call)
{
	json_t *object = line("call", trace);
	char text[64];
	struct buffer result = { text, sizeof(text), 0 };

	set_thread(convert, object, trace, call->thread);
	set_times(object, trace, call->start, call->end);
	set_number(object, "correlation", call->correlation);
	set_number(object, "depth", call->depth);
	set_site(convert, object, trace, call->site);
	print_result_name(&result, call->result);
	set_buffer(convert, object, "result", &result);
	if (call->status & CUAUDIT_TRACE_SKIPPED)
		json_object_set_new_nocheck(object, "skipped", json_true());
	if (call->arguments)
		set_arguments(convert, object, trace, call);
	if (call->stack != TRACE_NONE)
		set_stack(convert, object, trace, call->stack);
	return json_line(convert->sink, object);
}

static int jsonl_open(struct convert *convert, const struct trace *trace,
		      const struct convert_open *open)
{
	json_t *object = line("unfinished", trace);

	set_thread(convert, object, trace, open->thread);
	set_times(object, trace, open->start, open->seen);
	set_number(object, "depth", open->depth);
	set_site(convert, object, trace, open->site);
	return json_line(convert->sink, object);
}

static int jsonl_mark(struct convert *convert, const struct trace *trace,
		      const struct trace_mark *mark)
{
	json_t *object = line("mark", trace);

	set_thread(convert, object, trace, mark->thread);
	set_number(object, "time", trace_ns(trace, mark->ticks));
	set_text(convert, object, "text", mark->text);
	return json_line(convert->sink, object);
}

static int jsonl_file(struct convert *convert, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	json_t *object = line("process", trace);
	char command[sizeof(header->command)];

	set_number(object, "parent", header->parent);
	set_text(convert, object, "host", header->host);
	if (header->rank >= 0)
		set_number(object, "rank", (uint32_t)header->rank);
	set_text(convert, object, "program", header->program);
	fields_command(trace, command);
	set_text(convert, object, "command", command);
	set_number(object, "start", trace->start_ns);
	if (header->end_ticks)
		set_number(object, "end", trace_ns(trace, header->end_ticks));
	json_object_set_new_nocheck(object, "finished",
				    json_boolean(header->flags & CUAUDIT_TRACE_FINISHED));
	set_text(convert, object, "file", trace->path);
	return json_line(convert->sink, object);
}

static int loss(struct convert *convert, const struct trace *trace, const char *reason,
		uint64_t count)
{
	json_t *object = line("loss", trace);

	set_text(convert, object, "reason", reason);
	set_number(object, "count", count);
	return json_line(convert->sink, object);
}

static int jsonl_file_end(struct convert *convert, const struct trace *trace)
{
	return convert_each_loss(convert, trace, loss);
}

static void jsonl_release(struct convert *convert)
{
	free(scratch_of(convert)->at);
}

const struct convert_format convert_jsonl = {
	.name = "jsonl",
	.order = CONVERT_BY_TIME,
	.target = CONVERT_STREAM,
	.state = sizeof(struct state),
	.file = jsonl_file,
	.call = jsonl_call,
	.open = jsonl_open,
	.mark = jsonl_mark,
	.file_end = jsonl_file_end,
	.release = jsonl_release,
};
