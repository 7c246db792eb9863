/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of the call sites of errors. */
#include "analysis/error_symbols.h"

struct error_site error_symbols_find(void *data, const struct error_calls *calls)
{
	struct symbol_stack found = { .count = 0 };
	const char *path = calls->file ? calls->file : calls->library;

	/* Nothing says that another file of that path is the one that ran. */
	if (!path || !calls->id_size)
		return (struct error_site){ .function = NULL };
	/* The call is before the return address. */
	symbols_find(data, symbols_library(data, path, calls->build_id, calls->id_size),
		     calls->offset - 1, &found);
	if (!found.count)
		return (struct error_site){ .function = NULL };
	return (struct error_site){ found.at->function, found.at->file, found.at->line,
				    ERROR_NO_DISTANCE };
}
