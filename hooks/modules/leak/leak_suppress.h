/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is not to speak of: a file of lines "WHAT FUNCTION LIBRARY". */
#ifndef HOOKS_MODULES_LEAK_LEAK_SUPPRESS_H
#define HOOKS_MODULES_LEAK_LEAK_SUPPRESS_H

#include "hooks/modules/leak/leak_fault.h"

/* The names of what a report has: an object that was not freed, and errors. */
#define LEAK_LEFT "left"
const char *leak_fault_text(enum leak_fault_type type);

/* Context: setup. Reads the file; 0, or 1 after warnings of what is wrong with it. */
int leak_suppress_setup(const char *path);

/*
 * Context: call. Whether a line takes it: the function that was called, from
 * which library. A glob that has a slash is of the library's whole path.
 */
int leak_suppressed(const char *what, const struct leak_site *site);

#endif
