/* SPDX-License-Identifier: Apache-2.0 */
/* The %-fields of CUAUDIT_OUTPUT. */
#ifndef UTIL_TEMPLATE_H
#define UTIL_TEMPLATE_H

#include <stdbool.h>

/* The first %-field of template that is none, or NULL. Context: bind, setup. */
const char *template_fault(const char *template);

/*
 * A letter of what stands for a field, as it may be in the name of a file: no
 * slash, and no dot at its beginning, so that no value leads to another directory.
 */
char template_letter(char letter, bool first);

#endif
