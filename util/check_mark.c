/* SPDX-License-Identifier: Apache-2.0 */
/* By what cuaudit check knows of a process that its rules do not judge. */
#include "util/check_mark.h"

enum { DIGITS = 20 };

static bool begins(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word;
}

static size_t length_of(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

bool check_mark_has(const char *hooks, const char *saved)
{
	static const char option[] = "save=";

	for (; *hooks; hooks++) {
		const char *value = hooks + sizeof(option);

		if ((*hooks == '(' || *hooks == ';') && begins(hooks + 1, option) && begins(value, saved) &&
		    (value[length_of(saved)] == ';' || value[length_of(saved)] == ')'))
			return true;
	}
	return false;
}

/* The bytes of its directory, up to the last slash; a percent sign stands twice in it. */
static size_t directory_of(const char *from, char *path, size_t room)
{
	size_t used = 0, directory = 0;

	for (; *from && used < room; from++) {
		path[used++] = *from;
		if (*from == '/')
			directory = used;
		from += *from == '%' && from[1] == '%';
	}
	return directory;
}

bool check_mark_path(const char *saved, const char *name, long process, char *path, size_t room)
{
	size_t behind = length_of(name) + DIGITS + 1, used, count = 0;
	char digits[DIGITS];

	if (!*saved || room <= behind)
		return false;
	used = directory_of(saved, path, room - behind);
	while (*name)
		path[used++] = *name++;
	for (; process; process /= 10)
		digits[count++] = (char)('0' + process % 10);
	while (count)
		path[used++] = digits[--count];
	path[used] = '\0';
	return true;
}
