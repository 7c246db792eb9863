/* SPDX-License-Identifier: Apache-2.0 */
/* Globs over libraries' names. Context: bind. */
#ifndef AUDIT_FILTER_H
#define AUDIT_FILTER_H

#include <stdbool.h>

/*
 * Whether one of the colon-separated globs of list matches path: those with a
 * '/' the whole of it, others its last component; "(main)" the executable.
 */
bool filter_list(const char *list, const char *path, bool is_main);

#endif
