/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of a summary as functions, files and lines. */
#include "analysis/callers.h"

#include "analysis/text_page.h"
#include "util/hash_table.h"

enum { NAME_COLUMNS = 40, FILE_COLUMNS = 48 };

struct symbol_stack callers_find(const struct summary *summary, const struct summary_caller *caller)
{
	const struct summary_build *build = &summary->builds[caller->build];
	struct symbol_stack found = { .count = 0 };
	uint32_t library;

	if (!summary->symbols)
		return found;
	library = symbols_library(summary->symbols, build->path, build->id, build->id_size);
	/* The call is before the return address; symbols_error tells what failed. */
	symbols_find(summary->symbols, library, caller->offset - 1, &found);
	return found;
}

void callers_text(const struct summary *summary, const struct summary_caller *caller,
		  struct out *out)
{
	struct symbol_stack found = callers_find(summary, caller);

	if (found.count) {
		out_fit(out, found.at->function, NAME_COLUMNS);
		if (found.at->file) {
			out_text(out, " at ");
			out_fit(out, found.at->file, FILE_COLUMNS);
			out_text(out, ":");
			out_u64(out, found.at->line);
		}
		out_text(out, ", ");
	}
	out_fit(out, page_component(summary->libraries[caller->library].path), NAME_COLUMNS);
	out_text(out, "+");
	out_hex(out, caller->offset);
	if (!caller->python)
		return;
	out_text(out, ", ");
	out_fit(out, page_component(caller->file), FILE_COLUMNS);
	if (caller->line) {
		out_text(out, ":");
		out_u64(out, caller->line);
	}
	out_text(out, " in ");
	out_fit(out, caller->python, NAME_COLUMNS);
}

void callers_json(struct writer *json, struct symbol_stack found)
{
	if (!found.count)
		return;
	writer_text(json, "caller_function", found.at->function);
	if (found.at->file) {
		writer_text(json, "caller_file", found.at->file);
		writer_number(json, "caller_line", found.at->line);
	}
	if (found.count == 1)
		return;
	WRITER_OBJECTS(json, "inlined_into", i, found.count - 1) {
		const struct symbol *symbol = &found.at[i + 1];

		writer_text(json, "function", symbol->function);
		if (symbol->file) {
			writer_text(json, "file", symbol->file);
			writer_number(json, "line", symbol->line);
		}
	}
}
