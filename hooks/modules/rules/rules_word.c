/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line, and what is said of one that is wrong. */
#include "hooks/modules/rules/rules_word.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cuaudit/hook.h>

enum { MESSAGE = 1024 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool line_fault(const struct line *line, const struct word *word, const char *format, ...)
{
	char text[MESSAGE];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	cuaudit_log(CUAUDIT_ERROR, "rules: %s:%u:%u: %s", line->path, line->number,
		    word ? word->column : line->end, text);
	return false;
}

/* "; known: a, b, c", as far as there is room; nothing if there are none. */
static void list_words(char *text, size_t size, const char *const *words)
{
	const char *between = "; known: ";
	size_t used = 0;

	for (*text = '\0'; *words && used + strlen(between) + strlen(*words) < size; words++) {
		used = (size_t)(stpcpy(stpcpy(&text[used], between), *words) - text);
		between = ", ";
	}
}

bool line_unknown(const struct line *line, const struct word *word, const char *what,
		  const char *const *words)
{
	const char *near = cuaudit_nearest(word->text, words);
	char known[256];

	if (near && word->quoted && !strcmp(near, word->text))
		return line_fault(line, word, "'%.64s' in quotes is no %s; leave the quotes out",
				  word->text, what);
	if (near && strcmp(near, word->text) != 0)
		return line_fault(line, word, "there is no %s '%.64s'; did you mean %s?", what,
				  word->text, near);
	list_words(known, sizeof(known), words);
	return line_fault(line, word, "there is no %s '%.64s'%s", what, word->text, known);
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

bool line_split(struct line *line, char *text)
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
			return true;
		if (*at == '#') {
			line->reason = at + 1 + strspn(at + 1, " \t\r");
			return true;
		}
		*word = (struct word){ .text = at, .column = line->end, .quoted = *at == '"' };
		if (line->count == WORDS - 1)
			return line_fault(line, word, "a line has at most %d words", WORDS - 1);
		line->count++;
		if (word->quoted)
			word->text++;
		end = word->quoted ? unquote(word->text) : plain(at);
		if (!end)
			return line_fault(line, word, "this quote has no other");
		if (*end && !is_blank(*end))
			return line_fault(line, word, "a blank is missing behind the quotes");
		if (*end)
			*end++ = '\0';
	}
}

struct word *line_next(struct line *line)
{
	return line->at < line->count ? &line->words[line->at++] : NULL;
}

struct word *line_want(struct line *line, const char *what)
{
	struct word *word = line_next(line);

	if (!word)
		line_fault(line, NULL, "%s is missing", what);
	else if (!*word->text && (word = NULL, true))
		line_fault(line, &line->words[line->at - 1], "%s is empty", what);
	return word;
}

bool line_takes(struct line *line, const char *keyword)
{
	const struct word *word = &line->words[line->at];

	if (line->at >= line->count || word->quoted || strcmp(word->text, keyword) != 0)
		return false;
	line->at++;
	return true;
}
