/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line of a rules file. */
#include "util/rule_line.h"

#include <stddef.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A word in quotes, which are taken off; \" and \\ in it. Where it ends, NULL: it does not. */
static char *unquote(char *at)
{
	char *to = at;

	for (; *at && *at != '"'; at++) {
		if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		*to++ = *at;
	}
	if (!*at)
		return NULL;
	*to = '\0';
	return at + 1;
}

static char *plain(char *at)
{
	while (*at && !is_blank(*at))
		at++;
	return at;
}

const char *rule_line_split(struct line *line, char *text)
{
	char *at = text, *end;

	line->count = line->at = 0;
	line->reason = "";
	for (;; at = end) {
		struct word *word = &line->words[line->count];

		while (is_blank(*at))
			at++;
		line->end = (uint32_t)(at - text) + 1;
		if (!*at)
			return NULL;
		if (*at == '#') {
			line->reason = at + 1 + strspn(at + 1, " \t\r");
			return NULL;
		}
		*word = (struct word){ .text = at, .column = line->end, .quoted = *at == '"' };
		_Static_assert(WORDS == 128, "the number in the text");
		if (line->count++ == WORDS - 1)
			return "a line has at most 127 words";
		if (word->quoted)
			word->text++;
		end = word->quoted ? unquote(word->text) : plain(at);
		if (!end)
			return "this quote has no other";
		if (*end && !is_blank(*end))
			return "a blank is missing behind the quotes";
		if (*end)
			*end++ = '\0';
	}
}

bool rule_line_has(const struct line *line, uint32_t number, const char *keyword)
{
	const struct word *word = &line->words[number];

	return number < line->count && !word->quoted && !strcmp(word->text, keyword);
}
