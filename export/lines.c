/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of what calls in a trace came from. */
#include "export/lines.h"

#include <errno.h>
#include <stdlib.h>

#include "export/fields.h"
#include "util/hash_table.h"

void lines_file_free(struct lines_file *file)
{
	free(file->libraries);
	free(file->sites);
	free(file->known);
	*file = (struct lines_file){ .known = NULL };
}

static int make_room(struct lines_file *file, const struct trace *trace)
{
	if (file->libraries)
		return 0;
	file->libraries = calloc(trace->nlibraries + 1, sizeof(*file->libraries));
	file->sites = calloc(trace->nsites + 1, sizeof(*file->sites));
	file->known = calloc(trace->nsites + 1, sizeof(*file->known));
	if (file->libraries && file->sites && file->known)
		return 0;
	lines_file_free(file);
	return -ENOMEM;
}

static int find(struct lines *lines, const struct trace *trace, uint32_t number, uint64_t address,
		struct symbol_stack *found)
{
	const struct trace_library *library = &trace->libraries[number];
	uint32_t *known = &lines->file->libraries[number];

	if (!*known)
		*known = symbols_library(lines->symbols, trace_library_file(trace, number),
					 library->build_id, library->id_size) + 1;
	if (!*known)
		return -ENOMEM;
	/* The call is before the return address, and may be the last of its function. */
	return symbols_find(lines->symbols, *known - 1, address - library->base - 1, found);
}

struct symbol_stack lines_frame(const struct convert *convert, const struct trace *trace,
				const struct cuaudit_trace_frame *frame)
{
	struct lines *lines = convert->lines;
	struct symbol_stack found = { .count = 0 };

	if (!lines->symbols || lines->error || frame->library >= trace->nlibraries)
		return found;
	lines->error = make_room(lines->file, trace) ?:
		       find(lines, trace, frame->library, frame->address, &found);
	return found;
}

struct symbol_stack lines_site(const struct convert *convert, const struct trace *trace,
			       uint32_t site)
{
	struct lines_file *file = convert->lines->file;
	const struct cuaudit_trace_frame frame = {
		.library = trace->sites[site].library, .address = trace->sites[site].caller
	};

	if (file->known && file->known[site])
		return file->sites[site];
	struct symbol_stack found = lines_frame(convert, trace, &frame);

	if (file->known) {
		file->known[site] = true;
		file->sites[site] = found;
	}
	return found;
}

void lines_print(struct buffer *out, const struct symbol *symbol)
{
	buffer_name(out, symbol->function);
	if (!symbol->file)
		return;
	buffer_text(out, " at ");
	buffer_name(out, symbol->file);
	buffer_char(out, ':');
	buffer_unsigned(out, symbol->line);
}

void lines_stack(struct buffer *out, const struct convert *convert, const struct trace *trace,
		 uint32_t number, const char *between)
{
	const struct trace_callers *callers = &trace->callers[number];

	for (uint32_t i = 0; i < callers->count; i++) {
		const struct cuaudit_trace_frame *frame = &callers->frames[i];
		struct symbol_stack found = lines_frame(convert, trace, frame);

		for (uint32_t j = 0; j < found.count; j++) {
			if (i || j)
				buffer_text(out, between);
			lines_print(out, &found.at[j]);
		}
		if (found.count)
			continue;
		if (i)
			buffer_text(out, between);
		fields_frame(out, trace, frame);
	}
}
