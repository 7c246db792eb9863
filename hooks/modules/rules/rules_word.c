/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line, and what is said of one that is wrong. */
#include "hooks/modules/rules/rules_word.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cuaudit/hook.h>

enum { MESSAGE = 1024 };

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

bool line_split(struct line *line, char *text)
{
	const char *fault = rule_line_split(line, text);

	return !fault || line_fault(line, &line->words[line->count - 1], "%s", fault);
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
	bool takes = rule_line_has(line, line->at, keyword);

	line->at += takes;
	return takes;
}
