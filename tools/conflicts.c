/* SPDX-License-Identifier: Apache-2.0 */
/* Options that do not go together: conflicts.def. */
#include "tools/conflicts.h"

#include <string.h>

#include "tools/commands.h"
#include "tools/tool.h"
#include "util/words.h"

enum { WORD = 64 };

static const struct {
	const char *command, *options, *where, *text;
} conflicts[] = {
#define CONFLICT(command, options, where, text) { command, options, where, text },
#include "tools/conflicts.def"
#undef CONFLICT
};

/* Of each option its value, "" without one; NULL: it is not given. */
static const char *given[OPTION_ROWS];

void conflicts_given(size_t row, const char *value)
{
	given[row] = value ? value : "";
}

/* The value of "NAME" or "NAME=VALUE,VALUE", if it is given so; NULL: it is not. */
static const char *find(const char *command, const char *word)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; option_rows[i].name; i++) {
		const struct option_row *row = &option_rows[i];

		if (given[i] && strlen(row->name) == length && !memcmp(row->name, word, length) &&
		    option_belongs(row, command))
			return !word[length] || words_have(word + length + 1, given[i]) ?
				       given[i] : NULL;
	}
	return NULL;
}

/* The next of words with blanks around each; false behind the last. */
static bool next(const char **words, char word[WORD])
{
	size_t length;

	*words += strspn(*words, " ");
	length = strcspn(*words, " ");
	if (!length || length >= WORD)
		return false;
	memcpy(word, *words, length);
	word[length] = '\0';
	*words += length;
	return true;
}

static bool holds(const char *command, const char *where, const char *condition)
{
	char word[WORD];

	while (next(&where, word))
		if (*word == ':' ? !condition || strcmp(word, condition) :
		    *word == '!' ? find(command, word + 1) != NULL : !find(command, word))
			return false;
	return true;
}

static void complain(const char *command, const char *word, const char *text)
{
	size_t length = strcspn(word, "=");

	tool_complain("%s: --%.*s%s%s %s", command, (int)length, word, word[length] ? " " : "",
		      word[length] ? word + length + 1 : "", text);
}

bool conflicts_any(const char *command, const char *condition)
{
	char word[WORD];

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		const char *options = conflicts[i].options;

		if (strcmp(conflicts[i].command, command) ||
		    !holds(command, conflicts[i].where, condition))
			continue;
		while (next(&options, word)) {
			if (!find(command, word))
				continue;
			complain(command, word, conflicts[i].text);
			return true;
		}
	}
	return false;
}
