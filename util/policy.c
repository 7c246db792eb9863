/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts may be to enforce something, where no module can be asked. */
#include "util/policy.h"

/*
 * The modules, and the options of modules, that say so of themselves by
 * `enforces` of struct cuaudit_module. t/1910 compares.
 */
static const char *const words[] = { "dbgmem(", "fail=", "fault(", "limit(", "rules(" };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins(const char *text, const char *word)
{
	while (*word && lower(*text) == *word)
		text++, word++;
	return !*word;
}

bool policy_in(const char *text)
{
	for (; *text; text++)
		for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (begins(text, words[i]))
				return true;
	return false;
}

/* The options of a limit up to its bracket: a quota or share, and neither on-error=run nor a dry run. */
static bool ends_on_error(const char *option)
{
	static const char *const limits[] = { "device", "memory", "share", "time", "user" };
	bool any = false;

	for (;; option++) {
		for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
			const char *at = option, *word = limits[i];

			if (!begins(option, word))
				continue;
			while (*word)
				word++, at++;
			while (*at >= '0' && *at <= '9')
				at++;
			any |= *at == '=';
		}
		if (begins(option, "on-error=run") ||
		    (begins(option, "dry-run") && !begins(option, "dry-run=no")))
			return false;
		while (*option && *option != ';' && *option != ')')
			option++;
		if (*option != ';')
			return any;
	}
}

bool policy_ends_uncounted(const char *hooks)
{
	static const char limit[] = "limit(";

	for (; *hooks; hooks++)
		if (begins(hooks, limit) && ends_on_error(hooks + sizeof(limit) - 1))
			return true;
	return false;
}
