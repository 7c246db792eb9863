/* SPDX-License-Identifier: Apache-2.0 */
/* Globs, and lists of them over libraries, GLOB[:GLOB...]. */
#ifndef UTIL_GLOBS_H
#define UTIL_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Context: bind, setup. Whether a list of whatever it is has separators alone, which is a mistake:
 * an empty one is the default, or all.
 */
bool list_has_none(const char *list, char separator);

/*
 * Context: bind, setup. Whether a text is such a list: no set in it is
 * unfinished, no comma stands where a colon was meant, and it is not of colons alone.
 */
bool globs_are(const char *text);

/* Context: bind, setup. Whether a text is one glob: not empty, and no set in it is unfinished. */
bool glob_is_one(const char *text);

/*
 * Context: bind, call. Whether text matches the first length bytes of pattern, * ? [set] [!set]
 * \x, in a time of their product at most. A set that is not finished ends with the pattern.
 */
bool glob_matches(const char *pattern, size_t length, const char *text);

#endif
