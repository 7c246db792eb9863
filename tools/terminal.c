/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output is, and what it can show. */
#include "tools/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_MIN = 80, COLUMNS_MAX = 1000 };

/* A variable that is set to something. */
static const char *set(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

size_t terminal_columns(size_t otherwise)
{
	const char *wanted = set("COLUMNS");
	size_t columns = wanted ? strtoul(wanted, NULL, 10) : 0;
	struct winsize size;

	if (!columns && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		columns = size.ws_col;
	if (!columns)
		return otherwise;
	return columns < COLUMNS_MIN ? COLUMNS_MIN : columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
}

bool terminal_colour(const char *when)
{
	const char *kind = set("TERM");

	if (strcmp(when, "auto"))
		return !strcmp(when, "always");
	return isatty(STDOUT_FILENO) && !set("NO_COLOR") && kind && strcmp(kind, "dumb");
}

bool terminal_utf8(void)
{
	const char *locale = set("LC_ALL");

	if (!locale)
		locale = set("LC_CTYPE");
	if (!locale)
		locale = set("LANG");
	return isatty(STDOUT_FILENO) && locale &&
	       (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}
