/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of calls as text, the same in every format. */
#include "export/fields.h"

#include <cuaudit/api.h>
#include <string.h>

void fields_address(struct buffer *out, const struct trace *trace, uint32_t library,
		    uint64_t address)
{
	const struct trace_library *in = library < trace->nlibraries ? &trace->libraries[library]
								      : NULL;

	if (!in || !in->base || address < in->base) {
		buffer_hex(out, address);
		return;
	}
	buffer_text(out, in->name);
	buffer_char(out, '+');
	buffer_hex(out, address - in->base);
}

void fields_caller(struct buffer *out, const struct trace *trace, uint32_t site)
{
	fields_address(out, trace, trace->sites[site].library, trace->sites[site].caller);
}

const char *fields_site(char text[FIELDS_PLACE], const struct trace *trace, uint32_t site)
{
	const struct cuaudit_trace_frame frame = {
		.library = trace->sites[site].library, .address = trace->sites[site].caller
	};

	return fields_place(text, trace, &frame);
}

const char *fields_place(char text[FIELDS_PLACE], const struct trace *trace,
			 const struct cuaudit_trace_frame *frame)
{
	struct buffer out = { text, FIELDS_PLACE, 0 };

	fields_frame(&out, trace, frame);
	buffer_end(&out);
	return text;
}

void fields_frame(struct buffer *out, const struct trace *trace,
		  const struct cuaudit_trace_frame *frame)
{
	const struct trace_python *python;

	if (frame->kind == CUAUDIT_TRACE_FRAME_CUT)
		buffer_text(out, "...");
	if (frame->kind == CUAUDIT_TRACE_FRAME_NATIVE)
		fields_address(out, trace, frame->library, frame->address);
	if (frame->kind != CUAUDIT_TRACE_FRAME_PYTHON)
		return;
	python = &trace->pythons[frame->address];
	buffer_text(out, python->name);
	buffer_text(out, " (");
	buffer_text(out, python->file);
	if (python->line) {
		buffer_char(out, ':');
		buffer_unsigned(out, python->line);
	}
	buffer_char(out, ')');
}

const char *fields_program(const struct trace *trace)
{
	const char *slash = strrchr(trace->header.program, '/');

	return slash ? slash + 1 : trace->header.program;
}

/* value / 10^digits, the last `decimals` of the digits kept. */
static void scaled(struct buffer *out, uint64_t value, uint64_t one, int decimals)
{
	buffer_unsigned(out, value / one);
	if (decimals)
		buffer_char(out, '.');
	for (value %= one; decimals; decimals--) {
		one /= 10;
		buffer_char(out, (char)('0' + value / one));
		value %= one;
	}
}

void fields_duration(struct buffer *out, uint64_t ns)
{
	static const struct {
		uint64_t one;
		const char *name;
	} units[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };
	uint32_t unit = 0;

	while (unit < 3 && ns >= units[unit + 1].one)
		unit++;
	scaled(out, ns, units[unit].one, !unit ? 0 : ns < 10 * units[unit].one ? 2 :
					 ns < 100 * units[unit].one ? 1 : 0);
	buffer_text(out, units[unit].name);
}

void fields_seconds(struct buffer *out, uint64_t ns)
{
	scaled(out, ns, 1000000000, 9);
}

const char *fields_thread_name(const struct trace_thread *thread)
{
	return thread ? thread->name : "";
}

int32_t fields_tid(const struct trace_thread *thread)
{
	return thread ? thread->tid : 0;
}

static const char *const names[CUAUDIT_CLASSES] = {
#define CLASS(name, text, summary) [CUAUDIT_CLASS_NUMBER_##name] = text,
#include <cuaudit/classes.def>
#undef CLASS
};

void fields_classes(struct buffer *out, uint32_t classes)
{
	bool some = false;

	for (uint32_t i = 0; i < CUAUDIT_CLASSES; i++) {
		if (!(classes >> i & 1))
			continue;
		if (some)
			buffer_char(out, ',');
		buffer_text(out, names[i]);
		some = true;
	}
}
