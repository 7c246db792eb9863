/* SPDX-License-Identifier: Apache-2.0 */
/* Globs, and lists of them over libraries, GLOB[:GLOB...]. */
#include "util/globs.h"

bool list_has_none(const char *list, char separator)
{
	const char *at = list;

	while (*at && *at == separator)
		at++;
	return at > list && !*at;
}

bool globs_are(const char *text)
{
	bool set = false;

	if (list_has_none(text, ':'))
		return false;
	for (; *text; text++) {
		if (!set && *text == ',')
			return false;
		set = set ? *text != ']' : *text == '[';
	}
	return !set;
}

/* The first letter of a set is in it, be it a bracket. */
static const char *set_end(const char *at)
{
	at += *at == '!' || *at == '^';
	if (*at)
		at++;
	while (*at && *at != ']')
		at++;
	return at;
}

bool glob_is_one(const char *text)
{
	const char *at = text;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '[' && !*(at = set_end(at + 1)))
			return false;
	}
	return at > text;
}

/* Matches one character against the set after '['; moves past its ']'. */
static bool set_matches(const char **at, const char *end, char c)
{
	const char *p = *at;
	bool negated = p < end && (*p == '!' || *p == '^');
	bool found = false;

	p += negated;
	for (bool first = true; p < end && (*p != ']' || first); first = false) {
		unsigned char low = (unsigned char)*p++, high = low;

		if (end - p >= 2 && *p == '-' && p[1] != ']') {
			high = (unsigned char)p[1];
			p += 2;
		}
		found |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	*at = p < end ? p + 1 : p;
	return found != negated;
}

bool glob_matches(const char *pattern, size_t length, const char *text)
{
	const char *end = pattern + length, *star = NULL, *resume = NULL;

	for (;;) {
		const char *p = pattern;

		if (p < end && *p == '*') {
			star = ++pattern;
			resume = text;
			continue;
		}
		if (p < end && *text) {
			bool same;

			if (*p == '[') {
				p++;
				same = set_matches(&p, end, *text);
			} else {
				if (*p == '\\' && p + 1 < end)
					same = *++p == *text;
				else
					same = *p == '?' || *p == *text;
				p++;
			}
			if (same) {
				pattern = p;
				text++;
				continue;
			}
		} else if (p == end && !*text) {
			return true;
		}
		/* Let the last star take one character more. */
		if (!star || !*resume)
			return false;
		pattern = star;
		text = ++resume;
	}
}
