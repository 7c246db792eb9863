/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in libraries, from their ELF symbol tables. */
#ifndef CONVERT_SYMBOLS_H
#define CONVERT_SYMBOLS_H

#include "trace/trace.h"

struct symbols;

/*
 * Of the file at the library's path, if it is the one that was loaded: both
 * have the same build id. NULL: it is not, it has none, or memory is out.
 */
struct symbols *symbols_open(const struct trace_library *library);

/*
 * The function that an address, counted from the library's base, is in; NULL for
 * none. The name is there until symbols_close.
 */
const char *symbols_find(struct symbols *symbols, uint64_t address, enum demangle how);

void symbols_close(struct symbols *symbols);

#endif
