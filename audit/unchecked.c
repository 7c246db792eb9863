/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a file by which cuaudit check knows of a process that no rule judges. */
#include "audit/unchecked.h"

#include <stdatomic.h>

#include "audit/sys.h"

#define NAME "unchecked-"

enum { PATH_SIZE = 4096, DIGITS = 20 };

/* The path behind save= of rules, or NULL. */
static const char *saved_to(const char *hooks)
{
	static const char option[] = "save=";

	while (*hooks && !sys_starts(hooks, "rules("))
		hooks++;
	for (; *hooks && *hooks != ')'; hooks++)
		if ((*hooks == '(' || *hooks == ';') && sys_starts(hooks + 1, option))
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

void unchecked_leave(const char *hooks)
{
	static const char name[] = NAME;
	static _Atomic long left;
	const char *from = saved_to(hooks);
	char path[PATH_SIZE], digits[DIGITS];
	long pid = sys_process();
	size_t used, count = 0;

	if (!from || atomic_exchange_explicit(&left, pid, memory_order_relaxed) == pid)
		return;
	used = directory_of(from, path, sizeof(path) - sizeof(name) - sizeof(digits));
	for (const char *at = name; *at; at++)
		path[used++] = *at;
	for (; pid; pid /= 10)
		digits[count++] = (char)('0' + pid % 10);
	while (count)
		path[used++] = digits[--count];
	path[used] = '\0';
	sys_make_empty(path);
}
