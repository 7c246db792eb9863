/* SPDX-License-Identifier: Apache-2.0 */
/* Traces, added up and printed. */
#ifndef TOOLS_SUMMARIZE_H
#define TOOLS_SUMMARIZE_H

#include "analysis/summary_print.h"
#include "tools/inputs.h"

struct summarize {
	struct summary_options options;
	struct summary_print print;
	bool json;
	bool no_symbols;	/* callers are addresses alone */
	bool exit_code;		/* summarize_diff: a difference is a status */
};

/* All traces among the inputs as one. A status of the tool. */
int summarize(const struct summarize *how, const struct inputs *inputs);

/* The same as a page for a browser, in a file; "-" is standard output. */
int summarize_page(const struct summarize *how, const char *target, const struct inputs *inputs);

/*
 * b compared with a: traces, or record files. A status of the tool; TOOL_BROKEN after a
 * line where exit_code asks for it.
 */
int summarize_diff(const struct summarize *how, const struct inputs *a, const struct inputs *b);

#endif
