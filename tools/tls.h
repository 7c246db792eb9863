/* SPDX-License-Identifier: Apache-2.0 */
/* How much static TLS a program's libraries want beside an auditor. */
#ifndef TOOLS_TLS_H
#define TOOLS_TLS_H

#include <stdbool.h>

#include "tools/program.h"

/* What run always asks for, and what the loader is started with otherwise. */
#define TLS_LEAST "4096"

/* Whether the program's loader is this system's own: no other is run for an answer. */
bool tls_can_ask(const struct program *program);

/*
 * Asks the program's loader, which maps and relocates without running anything.
 * bytes: of glibc.rtld.optional_static_tls, NULL to leave the tunables alone.
 * NULL if all fits, or the loader's message; static.
 */
const char *tls_fault(const struct program *program, const char *auditor, const char *bytes);

struct child;

/* The loader's own list of what it would map, a line each, in child->out. 0, or it cannot be asked. */
int tls_libraries(const struct program *program, struct child *child);

/*
 * The least of a few sizes with which all fits, TLS_LEAST the first, and set
 * in *bytes. NULL, or the loader's message with the largest.
 */
const char *tls_search(const struct program *program, const char *auditor, const char **bytes);

#endif
