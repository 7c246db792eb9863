/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of what calls in a trace came from. */
#ifndef EXPORT_LINES_H
#define EXPORT_LINES_H

#include "analysis/symbols.h"
#include "export/convert.h"
#include "util/buffer.h"

/* What is known of one file, which begins as zeros. */
struct lines_file {
	uint32_t *libraries;		/* of struct symbols, + 1; 0: not asked */
	struct symbol_stack *sites;
	bool *known;			/* by site */
};

void lines_file_free(struct lines_file *file);

/* Of a conversion. */
struct lines {
	struct symbols *symbols;	/* NULL: nobody wants them */
	struct lines_file *file;	/* the one whose trace is at hand */
	int error;			/* the first -errno */
};

/*
 * What a call site, or a frame, is in; nothing where it is not known, or where lines->error says
 * why: convert_run ends then. Asked for once for each.
 */
struct symbol_stack lines_site(const struct convert *convert, const struct trace *trace,
			       uint32_t site);
struct symbol_stack lines_frame(const struct convert *convert, const struct trace *trace,
				const struct cuaudit_trace_frame *frame);

/* "step at train.c:42", or what is known of that. */
void lines_print(struct buffer *out, const struct symbol *symbol);

/*
 * The frames of a stack, the caller first, each behind the last one: as functions with file and
 * line where that is known, inlined ones as frames of their own, else as fields_frame.
 */
void lines_stack(struct buffer *out, const struct convert *convert, const struct trace *trace,
		 uint32_t number, const char *between);

#endif
