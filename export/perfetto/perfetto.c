/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's trace format: a slice for each call, an instant for each launch. */
/*
 * Each file is a packet sequence of its own. All that is there once, and the
 * part of an event that is the same for all calls from a site, is packed by
 * protobuf-c; what differs from call to call is put around that here, for the
 * library would spend most of the time on looking at what is not there.
 */
#include "export/perfetto/perfetto.h"

#include <errno.h>
#include <string.h>

#include "export/argument_text.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/perfetto/perfetto.pb-c.h"

enum { WIRE_VARINT = 0, WIRE_64_BIT = 1, WIRE_BYTES = 2 };

static struct wire_tag tag_of(const ProtobufCMessageDescriptor *message, const char *name)
{
	const ProtobufCFieldDescriptor *field =
		protobuf_c_message_descriptor_get_field_by_name(message, name);
	struct wire_tag tag = { .size = 0 };
	uint32_t type = WIRE_VARINT;

	if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES ||
	    field->type == PROTOBUF_C_TYPE_MESSAGE)
		type = WIRE_BYTES;
	else if (field->type == PROTOBUF_C_TYPE_FIXED64 || field->type == PROTOBUF_C_TYPE_DOUBLE)
		type = WIRE_64_BIT;
	tag.size = (uint8_t)(wire_varint(tag.bytes, field->id << 3 | type) - tag.bytes);
	return tag;
}

static int perfetto_begin(struct convert *convert)
{
	struct perfetto *perfetto = convert->state;

#define TAG(member, message, field) \
	perfetto->tags.member = tag_of(&perfetto__##message##__descriptor, field);
	PERFETTO_TAGS(TAG)
#undef TAG
	return 0;
}

static void make_stamp(struct perfetto *perfetto)
{
	uint8_t *at = perfetto->stamp;

	at = wire_uint(at, perfetto->tags.sequence, perfetto->sequence);
	at = wire_uint(at, perfetto->tags.flags,
		       PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE);
	perfetto->stamp_size = (size_t)(at - perfetto->stamp);
}

/* Room for what is known of each function, site and stream of this file. */
static int make_room(struct perfetto *perfetto, const struct trace *trace)
{
	free(perfetto->functions);
	free(perfetto->sites);
	perfetto->functions = typed_functions(trace);
	perfetto->sites = calloc(trace->nsites + 1, sizeof(*perfetto->sites));
	free(perfetto->seen_streams);
	free(perfetto->seen_others);
	perfetto->seen_streams = calloc(1, sizeof(*perfetto->seen_streams));
	perfetto->seen_others = calloc(1, sizeof(*perfetto->seen_others));
	return perfetto->functions && perfetto->sites && perfetto->seen_streams &&
	       perfetto->seen_others ? 0 : -ENOMEM;
}

static int perfetto_file(struct convert *convert, const struct trace *trace)
{
	struct perfetto *perfetto = convert->state;
	int error = make_room(perfetto, trace);

	perfetto->sequence++;
	make_stamp(perfetto);
	error = error ?: memory_usage_begin(&perfetto->held, trace) ?:
		perfetto_tracks(convert, perfetto, trace) ?:
		perfetto_names(convert, perfetto, trace);
	return !error && perfetto->scratch.failed ? -ENOMEM : error;
}

/* An event of the part and what is in perfetto->body. */
static int put_event(struct convert *convert, const struct perfetto *perfetto, uint64_t ns,
		     struct perfetto_part part, uint64_t track)
{
	const struct perfetto_tags *tags = &perfetto->tags;
	size_t event = part.size + tags->track.size + wire_varint_size(track) +
		       perfetto->body.used;
	size_t packet = tags->timestamp.size + wire_varint_size(ns) + perfetto->stamp_size +
			tags->event.size + wire_varint_size(event) + event;
	uint8_t *at, *start;

	start = at = sink_room(convert->sink, packet + 2 * sizeof(struct wire_tag) + WIRE_VARINT_MAX);
	if (!at)
		return convert->sink->error;
	at = wire_length(at, tags->packet, packet);
	at = wire_uint(at, tags->timestamp, ns);
	at = wire_bytes(at, perfetto->stamp, perfetto->stamp_size);
	at = wire_length(at, tags->event, event);
	at = wire_bytes(at, perfetto->packed.data + part.at, part.size);
	at = wire_uint(at, tags->track, track);
	at = wire_bytes(at, perfetto->body.data, perfetto->body.used);
	sink_took(convert->sink, (size_t)(at - start));
	return 0;
}

enum { NUMBER = 64 };	/* more than an annotation with a number, or a text without its bytes */

static void took(struct perfetto *perfetto, const uint8_t *at)
{
	perfetto->body.used = (size_t)(at - perfetto->body.data);
}

/* An annotation that holds a number, or a number that stands for a text. */
static int annotate_number(struct perfetto *perfetto, uint64_t name, struct wire_tag tag,
			   uint64_t value)
{
	const struct perfetto_tags *tags = &perfetto->tags;
	uint8_t *at = bytes_room(&perfetto->body, NUMBER);
	size_t size = tags->name.size + wire_varint_size(name) + tag.size + wire_varint_size(value);

	if (!at)
		return -ENOMEM;
	at = wire_length(at, tags->annotation, size);
	at = wire_uint(at, tags->name, name);
	took(perfetto, wire_uint(at, tag, value));
	return 0;
}

static int annotate_text(struct perfetto *perfetto, uint64_t name, const char *text, size_t length)
{
	const struct perfetto_tags *tags = &perfetto->tags;
	uint8_t *at = bytes_room(&perfetto->body, NUMBER + length);
	size_t size = tags->name.size + wire_varint_size(name) + tags->text.size +
		      wire_varint_size(length) + length;

	if (!at)
		return -ENOMEM;
	at = wire_length(at, tags->annotation, size);
	at = wire_uint(at, tags->name, name);
	at = wire_length(at, tags->text, length);
	took(perfetto, wire_bytes(at, text, length));
	return 0;
}

static struct wire_tag tag_of_kind(const struct perfetto_tags *tags, enum typed_kind kind)
{
	switch (kind) {
	case TYPED_INT:
		return tags->integer;
	case TYPED_UINT:
		return tags->number;
	case TYPED_HEX:
		return tags->pointer;
	case TYPED_REAL:
		return tags->real;
	case TYPED_TEXT:
		break;
	}
	return tags->text;
}

/* An entry of the annotation that holds all arguments. */
static int put_argument(struct perfetto *perfetto, uint64_t name, const struct typed *typed)
{
	struct wire_tag tag = tag_of_kind(&perfetto->tags, typed->kind);
	size_t length = typed->kind == TYPED_TEXT ? typed->size : 0;
	uint8_t *at = bytes_room(&perfetto->entries, NUMBER + length), value[NUMBER], *end;
	uint64_t bits;

	if (!at)
		return -ENOMEM;
	memcpy(&bits, &typed->real, sizeof(bits));
	if (typed->kind == TYPED_REAL)
		end = wire_fixed64(value, tag, bits);
	else
		end = wire_uint(value, tag, typed->kind == TYPED_TEXT ? length : typed->bits);
	at = wire_length(at, perfetto->tags.entry, perfetto->tags.name.size +
			 wire_varint_size(name) + (size_t)(end - value) + length);
	at = wire_uint(at, perfetto->tags.name, name);
	at = wire_bytes(at, value, (size_t)(end - value));
	if (length)
		at = wire_bytes(at, typed->text, length);
	perfetto->entries.used = (size_t)(at - perfetto->entries.data);
	return 0;
}

static int put_arguments(struct perfetto *perfetto, const struct trace_arguments *arguments,
			 uint32_t number)
{
	const struct perfetto_tags *tags = &perfetto->tags;
	const struct typed_params *params = &perfetto->functions[number].params;
	uint64_t name = PERFETTO_PARAMETERS + (uint64_t)number * TYPED_PARAMS;
	size_t size = tags->name.size + wire_varint_size(PERFETTO_ARGUMENTS);
	char scratch[TYPED_SCRATCH];
	struct typed typed;
	uint8_t *at;

	perfetto->entries.used = 0;
	for (uint32_t i = 0; i < params->count; i++)
		if (typed_read(&typed, arguments, params, i, scratch) &&
		    put_argument(perfetto, name + i, &typed))
			return -ENOMEM;
	at = bytes_room(&perfetto->body, NUMBER + perfetto->entries.used);
	if (!at)
		return -ENOMEM;
	if (!perfetto->entries.used)
		return 0;
	at = wire_length(at, tags->annotation, size + perfetto->entries.used);
	at = wire_uint(at, tags->name, PERFETTO_ARGUMENTS);
	took(perfetto, wire_bytes(at, perfetto->entries.data, perfetto->entries.used));
	return 0;
}

/* Where a stream's launches are shown. */
static int stream_track(struct convert *convert, struct perfetto *perfetto,
			const struct trace *trace, uint64_t handle, uint64_t *track)
{
	char name[HANDLES_NAME];
	bool fresh;
	uint32_t number = handles_number(perfetto->seen_streams, handle, &fresh);

	*track = number ? perfetto->streams + number : perfetto->process;
	if (!fresh)
		return 0;
	handles_stream_name(name, trace, handle);
	return perfetto_track(convert, perfetto, *track, perfetto_library_text(perfetto, name));
}

/* An instant where the launch's stream is, and an arrow to it. */
static int put_launch(struct convert *convert, struct perfetto *perfetto,
		      const struct trace *trace, const struct launch *launch)
{
	uint64_t track, name = 1 + trace->nfunctions + launch->kernel->number;
	int error = stream_track(convert, perfetto, trace, launch->stream, &track);
	uint8_t *at;

	perfetto->body.used = 0;
	at = bytes_room(&perfetto->body, NUMBER);
	if (error || !at)
		return error ?: -ENOMEM;
	at = wire_uint(at, perfetto->tags.event_name, name);
	took(perfetto, wire_fixed64(at, perfetto->tags.flow_end, perfetto->flows));
	return put_event(convert, perfetto, perfetto->last_ns, perfetto->instant, track);
}

static int put_status(struct perfetto *perfetto, const struct trace_call *call)
{
	static const char skipped[] = "answered by a hook";
	int error = 0;

	if (call->depth)
		error = annotate_number(perfetto, PERFETTO_DEPTH, perfetto->tags.number,
					call->depth);
	if (!error && call->status & CUAUDIT_TRACE_SKIPPED)
		error = annotate_text(perfetto, PERFETTO_STATUS, skipped, sizeof(skipped) - 1);
	if (!error && call->stack != TRACE_NONE)
		error = annotate_number(perfetto, PERFETTO_STACK, perfetto->tags.interned_text,
					perfetto->strings.stacks + call->stack);
	return error;
}

static int put_end(struct convert *convert, struct perfetto *perfetto, const struct trace *trace,
		   const struct trace_call *call, uint64_t track)
{
	const struct trace_function *function = convert_function(trace, call->site);
	bool unknown = trace_result_unknown(function, call->result);
	struct perfetto_part part = unknown ? perfetto->failure :
		print_is_runtime(function->name) ? perfetto->runtime_success : perfetto->success;
	char text[ARGUMENTS_RESULT];
	const char *why = trace_error_text(trace, call);
	int error = 0;

	perfetto->body.used = 0;
	if (call->result || function->has_result) {
		part = perfetto->failure;
		error = annotate_text(perfetto, PERFETTO_RESULT, text,
				      strlen(arguments_result(text, trace, call)));
		if (!error && why)
			error = annotate_text(perfetto, PERFETTO_ERROR_TEXT, why, strlen(why));
	}
	return error ?: put_event(convert, perfetto, perfetto->last_ns, part, track);
}

/* One that took over a chunk and was never described has a track from its first call on. */
static int thread_track(struct convert *convert, struct perfetto *perfetto,
			const struct trace *trace, uint32_t thread, uint64_t *track)
{
	uint32_t number;
	bool fresh;

	*track = perfetto->threads + thread;
	if (trace_thread(trace, thread))
		return 0;
	number = handles_number(perfetto->seen_others, thread, &fresh);
	*track = number ? perfetto->others + number : perfetto->process;
	return fresh ? perfetto_unknown_thread(convert, perfetto, *track, thread) : 0;
}

static int put_memory(struct convert *convert, struct perfetto *perfetto,
		      const struct trace_call *call)
{
	int changed = memory_usage_call(&perfetto->held, call);
	uint8_t *at;

	if (changed <= 0)
		return changed;
	perfetto->body.used = 0;
	at = bytes_room(&perfetto->body, NUMBER);
	if (!at)
		return -ENOMEM;
	took(perfetto, wire_uint(at, perfetto->tags.counter, perfetto->held.memory.device.held));
	return put_event(convert, perfetto, perfetto->last_ns, perfetto->counter, perfetto->memory);
}

static int flow(struct perfetto *perfetto, const struct launch *launch)
{
	uint8_t *at = bytes_room(&perfetto->body, NUMBER);

	if (!at)
		return -ENOMEM;
	took(perfetto, wire_fixed64(at, perfetto->tags.flow, ++perfetto->flows));
	return annotate_number(perfetto, PERFETTO_KERNEL, perfetto->tags.interned_text,
			       perfetto->strings.kernels + launch->kernel->number);
}

static int perfetto_call(struct convert *convert, const struct trace *trace,
			 const struct trace_call *call)
{
	struct perfetto *perfetto = convert->state;
	uint32_t number = trace->sites[call->site].function;
	struct trace_arguments arguments;
	struct launch launch = { .kernel = NULL };
	uint64_t track;
	int error = thread_track(convert, perfetto, trace, call->thread, &track);

	perfetto->last_ns = trace_ns(trace, call->end);
	perfetto->body.used = 0;
	error = error ?:
		annotate_number(perfetto, PERFETTO_CORRELATION, perfetto->tags.number, call->correlation) ?:
		put_status(perfetto, call);
	if (!error && call->arguments && trace_arguments_read(&arguments, trace, call)) {
		if (launch_read(&launch, &perfetto->functions[number].launch, trace, call,
				&arguments))
			error = flow(perfetto, &launch);
		if (!error && !convert->choice.no_arguments)
			error = put_arguments(perfetto, &arguments, number);
	}
	error = error ?:
		put_event(convert, perfetto, trace_ns(trace, call->start), perfetto->sites[call->site], track) ?:
		put_end(convert, perfetto, trace, call, track);
	if (!error && launch.kernel)
		error = put_launch(convert, perfetto, trace, &launch);
	return error ?: put_memory(convert, perfetto, call);
}

/* A beginning without an end is what viewers show as not finished. */
static int perfetto_open(struct convert *convert, const struct trace *trace,
			 const struct convert_open *open)
{
	struct perfetto *perfetto = convert->state;
	uint64_t track;
	int error = thread_track(convert, perfetto, trace, open->thread, &track);

	perfetto->body.used = 0;
	return error ?: put_event(convert, perfetto, trace_ns(trace, open->start),
					 perfetto->sites[open->site], track);
}

static int perfetto_mark(struct convert *convert, const struct trace *trace,
			 const struct trace_mark *mark)
{
	struct perfetto *perfetto = convert->state;
	uint64_t track = trace_thread(trace, mark->thread) ? perfetto->threads + mark->thread
							    : perfetto->process;

	return perfetto_text(convert, perfetto, trace_ns(trace, mark->ticks), track, mark->text);
}

static int annotate_if(struct perfetto *perfetto, uint64_t name, const char *text)
{
	const char *clean = *text ? perfetto_library_text(perfetto, text) : text;

	return *clean ? annotate_text(perfetto, name, clean, strlen(clean)) : 0;
}

static int put_range(struct convert *convert, struct perfetto *perfetto, const struct trace *trace,
		     const struct trace_range *range, uint64_t track)
{
	const char *text = perfetto_library_text(perfetto, *range->text ? range->text : "(no name)");
	bool mark = range->event == CUAUDIT_TRACE_RANGE_MARK;
	size_t length = strlen(text);
	char payload[32], colour[TRACE_RANGE_WORD], number[TRACE_RANGE_WORD];
	uint8_t *at;

	perfetto->body.used = 0;
	at = bytes_room(&perfetto->body, NUMBER + length);
	if (!at)
		return -ENOMEM;
	at = wire_length(at, perfetto->tags.event_text, length);
	took(perfetto, wire_bytes(at, text, length));
	trace_range_payload(range, payload, sizeof(payload));
	trace_range_colour(range, colour);
	return annotate_if(perfetto, PERFETTO_DOMAIN, range->domain) ?:
	       annotate_if(perfetto, PERFETTO_CATEGORY, trace_range_category(range, number)) ?:
	       annotate_if(perfetto, PERFETTO_COLOUR, colour) ?:
	       annotate_if(perfetto, PERFETTO_PAYLOAD, payload) ?:
	       put_event(convert, perfetto, trace_ns(trace, range->start),
			 mark ? perfetto->instant : perfetto->begin, track);
}

/*
 * What a thread pushed is on its track, so that its calls are inside of it. What does not nest
 * there, and what any thread may end, has a track of its own.
 */
static int perfetto_range(struct convert *convert, const struct trace *trace,
			  const struct trace_range *range)
{
	struct perfetto *perfetto = convert->state;
	bool apart = range->event == CUAUDIT_TRACE_RANGE_START || range->flags & TRACE_RANGE_CROSSING;
	uint64_t track = perfetto->tracks + 1, last = perfetto->last_ns;
	int error;

	if (apart) {
		perfetto->tracks++;
		error = perfetto_track(convert, perfetto, track, "NVTX");
	} else {
		error = thread_track(convert, perfetto, trace, range->thread, &track);
	}
	error = error ?: put_range(convert, perfetto, trace, range, track);
	if (error || range->event == CUAUDIT_TRACE_RANGE_MARK || range->flags & TRACE_RANGE_UNFINISHED)
		return error;
	perfetto->body.used = 0;
	error = put_event(convert, perfetto, trace_ns(trace, range->end), perfetto->failure, track);
	perfetto->last_ns = last;
	return error;
}

static int perfetto_file_end(struct convert *convert, const struct trace *trace)
{
	struct perfetto *perfetto = convert->state;
	char text[512] = "";
	struct buffer out = { text, sizeof(text), 0 };

	convert_losses(&out, trace, convert->damaged);
	return *text ? perfetto_text(convert, perfetto, perfetto->last_ns, perfetto->process, text)
		     : 0;
}

static void perfetto_release(struct convert *convert)
{
	struct perfetto *perfetto = convert->state;

	free(perfetto->functions);
	free(perfetto->sites);
	free(perfetto->seen_streams);
	free(perfetto->seen_others);
	memory_usage_free(&perfetto->held);
	pids_free(&perfetto->pids);
	free(perfetto->scratch.at);
	bytes_free(&perfetto->packed);
	bytes_free(&perfetto->interned);
	bytes_free(&perfetto->body);
	bytes_free(&perfetto->entries);
}

const struct convert_format convert_perfetto = {
	.name = "perfetto", .order = CONVERT_BY_FILE, .target = CONVERT_STREAM, .binary = true,
	.state = sizeof(struct perfetto), .begin = perfetto_begin, .file = perfetto_file,
	.call = perfetto_call, .open = perfetto_open, .mark = perfetto_mark, .range = perfetto_range,
	.file_end = perfetto_file_end, .release = perfetto_release,
};
