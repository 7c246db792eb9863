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

/* The path behind save= of rules, or NULL. */
static const char *saved_to(const char *hooks)
{
	static const char option[] = "save=";

	while (*hooks && !begins(hooks, "rules("))
		hooks++;
	for (; *hooks && *hooks != ')'; hooks++)
		if ((*hooks == '(' || *hooks == ';') && begins(hooks + 1, option))
			return hooks + sizeof(option);
	return NULL;
}

/* The bytes of its directory, up to the last slash; a percent sign stands twice in the option. */
static size_t directory_of(const char *from, char *path, size_t room)
{
	size_t used = 0, directory = 0;

	for (; *from && *from != ';' && *from != ')' && used < room; from++) {
		path[used++] = *from;
		if (*from == '/')
			directory = used;
		from += *from == '%' && from[1] == '%';
	}
	return directory;
}

bool check_mark_path(const char *hooks, const char *name, long process, char *path, size_t room)
{
	const char *from = saved_to(hooks);
	size_t behind = length_of(name) + DIGITS + 1, used, count = 0;
	char digits[DIGITS];

	if (!from || room <= behind)
		return false;
	used = directory_of(from, path, room - behind);
	while (*name)
		path[used++] = *name++;
	for (; process; process /= 10)
		digits[count++] = (char)('0' + process % 10);
	while (count)
		path[used++] = digits[--count];
	path[used] = '\0';
	return true;
}
