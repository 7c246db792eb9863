/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions and globs, matched in linear time. Context: setup. */
#ifndef UTIL_PATTERN_H
#define UTIL_PATTERN_H

#include <stdbool.h>

/* The longest text of a pattern, in bytes. */
enum { PATTERN_MAX = 255 };

/*
 * libc's matcher takes time and stack that grow exponentially with nested
 * repetitions. This one follows all alternatives at once: its time is at most the
 * product of both lengths, its stack is fixed. Characters are bytes, classes are
 * ASCII, whatever the locale is.
 */
struct pattern;

/*
 * An extended regular expression of POSIX, with libc's \w \W \s \S \b \B \< \> \` and \',
 * without bounds and back references. NULL: it is none, or memory is out.
 */
struct pattern *pattern_regex(const char *text);

/* As fnmatch(3) without flags. NULL: it is too long, or memory is out. */
struct pattern *pattern_glob(const char *text);

/* Whether a regular expression is found in the text, or a glob matches all of it. */
bool pattern_matches(const struct pattern *pattern, const char *text);

void pattern_free(struct pattern *pattern);

#endif
