/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of addresses in libraries, looked up when they are asked for. */
#ifndef ANALYSIS_SYMBOLS_H
#define ANALYSIS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefile/demangle.h"

struct symbols;

/* One of the functions that an address is in. */
struct symbol {
	const char *function;	/* never NULL */
	const char *file;	/* NULL: not known */
	uint32_t line;		/* 0: not known */
};

/* The innermost function first: all but the last are inlined into the next. */
struct symbol_stack {
	const struct symbol *at;
	uint32_t count;		/* 0: nothing is known */
};

/* One line on a library whose functions have no names, or no lines. */
typedef void (*symbols_complain_fn)(void *data, const char *path, const char *text);

/* names: of C++. NULL when memory is out. */
struct symbols *symbols_new(enum demangle names, symbols_complain_fn complain, void *data);

/* The library's number here; TABLE_NONE when memory is out. The build ID says which file it was. */
uint32_t symbols_library(struct symbols *symbols, const char *path, const uint8_t *build_id,
			 uint32_t id_size);

/*
 * What is at an address, counted from the library's base: of a return address, the one
 * before it. What is found is valid until symbols_free. The file is opened at the first
 * address, and asked for each once. 0 or -errno: memory is out, or a file is there that
 * cannot be read; symbols_fault says which.
 */
int symbols_find(struct symbols *symbols, uint32_t library, uint64_t address,
		 struct symbol_stack *found);

/* The first error of symbols_find, and the path of that file, NULL where it is -ENOMEM. */
int symbols_error(const struct symbols *symbols);
const char *symbols_fault(const struct symbols *symbols);

void symbols_free(struct symbols *symbols);

/* Whether files and lines can be found: the tool was built with libdw. */
bool symbols_have_lines(void);

#endif
