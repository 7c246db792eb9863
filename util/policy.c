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
