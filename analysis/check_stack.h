/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks of the rules hook, as functions, files and lines. */
#ifndef ANALYSIS_CHECK_STACK_H
#define ANALYSIS_CHECK_STACK_H

#include <stdbool.h>

#include "analysis/check_record.h"
#include "analysis/symbols.h"
#include "util/hash_table.h"
#include "util/out.h"

/* A line of a stack: a frame, or a function that is inlined into the next line. */
struct check_line {
	const char *function;	/* NULL: not known */
	const char *file;	/* NULL: not known */
	const char *library;	/* its path; NULL: Python's, or none */
	uint64_t offset;	/* in the library, else an address */
	uint32_t line;		/* 0: not known */
	uint32_t distance;	/* from the beginning of a function that its library exports */
	bool python, inlined, exported;
};

struct check_stack {
	struct check_line *lines;	/* the innermost first */
	uint32_t count;
	const struct check_line *user;	/* the user's line; NULL: none has a line */
};

/* What names are looked up by, and kept in. */
struct check_names {
	struct symbols *symbols;	/* NULL: none */
	struct table texts;		/* begins as { .row = 1 } */
};

/* The stack of a finding; lines are to be freed. 0 or -ENOMEM. */
int check_stack_find(struct check_stack *stack, struct check_names *names,
		     const struct check_file *file, const struct check_finding *finding);

/* What C++ calls a symbol; the symbol itself where it is none of it. NULL when memory is out. */
const char *check_name(struct check_names *names, const char *symbol);

/* The last component of a library's path. */
const char *check_library_name(const char *path);

/* "step at train.c:42 in libapp.so", without control characters. */
void check_line_text(struct out *out, const struct check_line *line);

#endif
