/* SPDX-License-Identifier: Apache-2.0 */
/* Saved JSON reports of hooks, printed with functions, files and lines of their call sites. */
#ifndef TOOLS_HOOK_REPORT_H
#define TOOLS_HOOK_REPORT_H

#include <stdbool.h>

#include "tracefile/demangle.h"

/* How a file of such reports begins. */
#define HOOK_REPORT_BEGIN "{\"versio"

/*
 * Prints the reports of a file, as the hook would or as JSON. NULL, or what is wrong with
 * the file: nothing is printed of it then. symbols: whether callers are looked up.
 */
const char *hook_report(const char *path, bool as_json, bool symbols, enum demangle names);

#endif
