/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in libraries, from their ELF symbol tables. */
#ifndef ANALYSIS_SYMBOLS_H
#define ANALYSIS_SYMBOLS_H

#include "tracefile/tracefile.h"

struct symbols;

/*
 * Of the file at the library's path, if it is the one that was loaded: both
 * have the same build id. *opened is NULL where there is no such file or it has no
 * symbols. 0, or -errno: memory is out, or the file is there and cannot be read.
 */
int symbols_open(struct symbols **opened, const struct trace_library *library);

/*
 * The function that an address, counted from the library's base, is in; *name is NULL
 * for none, and valid until symbols_close. 0 or -ENOMEM.
 */
int symbols_find(struct symbols *symbols, uint64_t address, enum demangle how, const char **name);

void symbols_close(struct symbols *symbols);

#endif
