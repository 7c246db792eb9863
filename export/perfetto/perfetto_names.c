/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's interned names, and the parts of events made of them; packed by protobuf-c. */
#include "export/perfetto/perfetto.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/api.h>

#include "export/fields.h"
#include "export/lines.h"
#include "export/perfetto/perfetto.pb-c.h"

enum {
	INTERNED = 32 << 10,	/* bytes from which a packet is full */
	TEXT = 4096
};

static int flush_interned(struct convert *convert, struct perfetto *perfetto)
{
	size_t size = perfetto->interned.used, whole;
	struct wire_tag tag = perfetto->tags.interned;
	uint8_t *start, *at;

	whole = perfetto->stamp_size + tag.size + wire_varint_size(size) + size;
	start = at = sink_room(convert->sink, whole + 2 * sizeof(tag) + WIRE_VARINT_MAX);
	if (!at)
		return convert->sink->error;
	at = wire_length(at, perfetto->tags.packet, whole);
	at = wire_bytes(at, perfetto->stamp, perfetto->stamp_size);
	at = wire_length(at, tag, size);
	at = wire_bytes(at, perfetto->interned.data, size);
	sink_took(convert->sink, (size_t)(at - start));
	perfetto->interned.used = 0;
	return 0;
}

static int intern(struct convert *convert, struct perfetto *perfetto,
		  Perfetto__InternedData *data)
{
	size_t size = perfetto__interned_data__get_packed_size(data);
	uint8_t *at = bytes_room(&perfetto->interned, size);

	if (!at)
		return -ENOMEM;
	perfetto->interned.used += perfetto__interned_data__pack(data, at);
	return perfetto->interned.used < INTERNED ? 0 : flush_interned(convert, perfetto);
}

static int intern_string(struct convert *convert, struct perfetto *perfetto, uint64_t iid,
			 const char *text)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString string = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *strings[] = { &string };

	string.has_iid = string.has_str = 1;
	string.iid = iid;
	string.str.data = (uint8_t *)perfetto_library_text(perfetto, text);
	string.str.len = strlen((char *)string.str.data);
	data.n_debug_annotation_string_values = 1;
	data.debug_annotation_string_values = strings;
	return intern(convert, perfetto, &data);
}

enum names { CATEGORIES, EVENTS, ANNOTATIONS };

static int intern_name(struct convert *convert, struct perfetto *perfetto, enum names which,
		       uint64_t iid, const char *text)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedName name = PERFETTO__INTERNED_NAME__INIT;
	Perfetto__InternedName *names[] = { &name };

	name.has_iid = 1;
	name.iid = iid;
	name.name = perfetto_library_text(perfetto, text);
	if (which == CATEGORIES) {
		data.n_event_categories = 1;
		data.event_categories = names;
	} else if (which == EVENTS) {
		data.n_event_names = 1;
		data.event_names = names;
	} else {
		data.n_debug_annotation_names = 1;
		data.debug_annotation_names = names;
	}
	return intern(convert, perfetto, &data);
}

static const char *const categories[CUAUDIT_CLASSES] = {
#define CLASS(name, text, summary) [CUAUDIT_CLASS_NUMBER_##name] = text,
#include <cuaudit/classes.def>
#undef CLASS
};

static const char *const names[PERFETTO_PARAMETERS] = {
	[PERFETTO_LIBRARY] = "library",
	[PERFETTO_CALLER] = "caller",
	[PERFETTO_CALLER_FUNCTION] = "caller_function",
	[PERFETTO_CALLER_FILE] = "caller_file",
	[PERFETTO_CALLER_LINE] = "caller_line",
	[PERFETTO_CORRELATION] = "correlation",
	[PERFETTO_RESULT] = "result",
	[PERFETTO_ERROR_TEXT] = "error_text",
	[PERFETTO_DEPTH] = "depth",
	[PERFETTO_KERNEL] = "kernel",
	[PERFETTO_STACK] = "stack",
	[PERFETTO_STATUS] = "status",
	[PERFETTO_ARGUMENTS] = "arguments",
	[PERFETTO_DOMAIN] = "domain",
	[PERFETTO_CATEGORY] = "category",
	[PERFETTO_COLOUR] = "colour",
	[PERFETTO_PAYLOAD] = "payload",
};

static int intern_functions(struct convert *convert, struct perfetto *perfetto,
			    const struct trace *trace)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < CUAUDIT_CLASSES; i++)
		error = intern_name(convert, perfetto, CATEGORIES, i + 1, categories[i]);
	for (uint32_t i = 1; !error && i < PERFETTO_PARAMETERS; i++)
		error = intern_name(convert, perfetto, ANNOTATIONS, i, names[i]);
	for (uint32_t i = 0; !error && i < trace->nfunctions; i++) {
		const struct typed_function *function = &perfetto->functions[i];

		error = intern_name(convert, perfetto, EVENTS, i + 1, trace->functions[i].name);
		for (uint32_t j = 0; !error && j < function->params.count; j++)
			error = intern_name(convert, perfetto, ANNOTATIONS,
					    PERFETTO_PARAMETERS + (uint64_t)i * TYPED_PARAMS + j,
					    function->params.params[j].name);
	}
	return error;
}

static int intern_stack(struct convert *convert, struct perfetto *perfetto,
			const struct trace *trace, uint32_t number)
{
	char text[TEXT];
	struct buffer out = { text, sizeof(text), 0 };

	lines_stack(&out, convert, trace, number, " < ");
	buffer_end(&out);
	return intern_string(convert, perfetto, perfetto->strings.stacks + number, text);
}

/* What is known of a call site beside its address. */
static int intern_caller(struct convert *convert, struct perfetto *perfetto,
			 const struct trace *trace, uint32_t site)
{
	struct symbol_stack found = lines_site(convert, trace, site);
	int error = 0;

	if (found.count)
		error = intern_string(convert, perfetto, perfetto->strings.functions + site,
				      found.at->function);
	if (!error && found.count && found.at->file)
		error = intern_string(convert, perfetto, perfetto->strings.files + site,
				      found.at->file);
	return error;
}

static int intern_texts(struct convert *convert, struct perfetto *perfetto,
			const struct trace *trace)
{
	struct perfetto_strings *strings = &perfetto->strings;
	char text[FIELDS_PLACE], result[PRINT_RESULT];
	int error;

	strings->success = 1;
	strings->runtime_success = strings->success + 1;
	strings->libraries = strings->runtime_success + 1;
	strings->sites = strings->libraries + trace->nlibraries;
	strings->functions = strings->sites + trace->nsites;
	strings->files = strings->functions + trace->nsites;
	strings->stacks = strings->files + trace->nsites;
	strings->kernels = strings->stacks + trace->ncallers;
	error = intern_string(convert, perfetto, strings->success, print_result_text(result, NULL, 0)) ?:
		intern_string(convert, perfetto, strings->runtime_success, print_result_text(result, "cudaMalloc", 0));
	for (uint32_t i = 0; !error && i < trace->nlibraries; i++)
		error = intern_string(convert, perfetto, strings->libraries + i,
				      trace->libraries[i].name);
	for (uint32_t i = 0; !error && i < trace->nsites; i++) {
		if (trace->sites[i].function != TRACE_NONE)
			error = intern_string(convert, perfetto, strings->sites + i,
					      fields_site(text, trace, i)) ?:
				intern_caller(convert, perfetto, trace, i);
	}
	for (uint32_t i = 0; !error && i < trace->ncallers; i++)
		error = intern_stack(convert, perfetto, trace, i);
	return error;
}

static int intern_kernels(struct convert *convert, struct perfetto *perfetto,
			  const struct trace *trace)
{
	uint8_t *seen = calloc(trace->nnames / 8 + 1, 1);
	int error = seen ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < trace->nkernels; i++) {
		const struct trace_kernel *kernel = &trace->kernels[i];

		if (seen[kernel->number / 8] >> kernel->number % 8 & 1)
			continue;
		seen[kernel->number / 8] |= (uint8_t)(1 << kernel->number % 8);
		error = intern_name(convert, perfetto, EVENTS, 1 + trace->nfunctions + kernel->number,
				    kernel->name) ?:
			intern_string(convert, perfetto, perfetto->strings.kernels + kernel->number,
				      kernel->name);
	}
	free(seen);
	return error;
}

static void annotate(Perfetto__DebugAnnotation *annotation, uint64_t name, uint64_t string)
{
	perfetto__debug_annotation__init(annotation);
	annotation->has_name_iid = annotation->has_string_value_iid = 1;
	annotation->name_iid = name;
	annotation->string_value_iid = string;
}

static int pack(struct perfetto *perfetto, Perfetto__TrackEvent *event,
		Perfetto__TrackEvent__Type type, struct perfetto_part *part)
{
	uint8_t *at;

	event->has_type = 1;
	event->type = type;
	at = bytes_room(&perfetto->packed, perfetto__track_event__get_packed_size(event));
	if (!at)
		return -ENOMEM;
	part->at = perfetto->packed.used;
	part->size = (uint32_t)perfetto__track_event__pack(event, at);
	perfetto->packed.used += part->size;
	return 0;
}

static int pack_site(const struct convert *convert, struct perfetto *perfetto,
		     const struct trace *trace, uint32_t number)
{
	struct symbol_stack found = lines_site(convert, trace, number);
	const struct trace_site *site = &trace->sites[number];
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation library, caller, function, file, line;
	Perfetto__DebugAnnotation *annotations[] = { &library, &caller, &function, &file, &line };
	uint64_t classes[CUAUDIT_CLASSES];

	annotate(&library, PERFETTO_LIBRARY, perfetto->strings.libraries + site->library);
	annotate(&caller, PERFETTO_CALLER, perfetto->strings.sites + number);
	event.n_debug_annotations = 2;
	if (found.count) {
		annotate(&function, PERFETTO_CALLER_FUNCTION, perfetto->strings.functions + number);
		event.n_debug_annotations++;
	}
	if (found.count && found.at->file) {
		annotate(&file, PERFETTO_CALLER_FILE, perfetto->strings.files + number);
		perfetto__debug_annotation__init(&line);
		line.has_name_iid = line.has_uint_value = 1;
		line.name_iid = PERFETTO_CALLER_LINE;
		line.uint_value = found.at->line;
		event.n_debug_annotations += 2;
	}
	event.debug_annotations = annotations;
	event.has_name_iid = 1;
	event.name_iid = 1 + site->function;
	event.category_iids = classes;
	for (uint32_t i = 0; i < CUAUDIT_CLASSES; i++)
		if (trace->functions[site->function].classes >> i & 1)
			classes[event.n_category_iids++] = i + 1;
	return pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		    &perfetto->sites[number]);
}

/* The end of a call whose result is that string. */
static int pack_success(struct perfetto *perfetto, uint64_t string, struct perfetto_part *part)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation result, *annotations[] = { &result };

	annotate(&result, PERFETTO_RESULT, string);
	event.n_debug_annotations = 1;
	event.debug_annotations = annotations;
	return pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, part);
}

static int pack_parts(const struct convert *convert, struct perfetto *perfetto,
		      const struct trace *trace)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	int error = 0;

	perfetto->packed.used = 0;
	for (uint32_t i = 0; !error && i < trace->nsites; i++)
		if (trace->sites[i].function != TRACE_NONE)
			error = pack_site(convert, perfetto, trace, i);
	return error ?:
	       pack_success(perfetto, perfetto->strings.success, &perfetto->success) ?:
	       pack_success(perfetto, perfetto->strings.runtime_success, &perfetto->runtime_success) ?:
	       pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, &perfetto->failure) ?:
	       pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, &perfetto->instant) ?:
	       pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, &perfetto->begin) ?:
	       pack(perfetto, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, &perfetto->counter);
}

int perfetto_names(struct convert *convert, struct perfetto *perfetto, const struct trace *trace)
{

	return intern_functions(convert, perfetto, trace) ?:
	       intern_texts(convert, perfetto, trace) ?: intern_kernels(convert, perfetto, trace) ?:
	       flush_interned(convert, perfetto) ?: pack_parts(convert, perfetto, trace);
}
