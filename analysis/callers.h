/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of a summary as functions, files and lines. */
#ifndef ANALYSIS_CALLERS_H
#define ANALYSIS_CALLERS_H

#include "analysis/summary.h"
#include "analysis/symbols.h"
#include "util/out.h"
#include "util/writer.h"

/* What is at a return address, counted from its library's base; nothing without summary->symbols. */
struct symbol_stack callers_find(const struct summary *summary, const struct summary_caller *caller);

/* "step at train.c:42, app+0x1a2b, train.py:7 in main", names cut to fit; what is not known is left out. */
void callers_text(const struct summary *summary, const struct summary_caller *caller,
		  struct out *out);

/* Members of an object that is open: caller_function, caller_file, caller_line, inlined_into. */
void callers_json(struct writer *json, struct symbol_stack found);

#endif
