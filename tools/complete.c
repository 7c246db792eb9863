/* SPDX-License-Identifier: Apache-2.0 */
/* What the shells' completions ask. */
#include "tools/complete.h"

#include <stdio.h>
#include <string.h>

#include "tools/catalogue.h"
#include "tools/options.h"
#include "tools/tool.h"

/* The word being typed; of a list, its last part is matched and what stands before is kept. */
struct word {
	const char *text;
	size_t kept;
};

static void offer(const struct word *word, const char *name, const char *summary)
{
	const char *part = word->text + word->kept;

	if (!strncmp(part, name, strlen(part)))
		printf("%.*s%s%s%s\n", (int)word->kept, word->text, name, *summary ? "\t" : "",
		       summary);
}

/* "a|b": those that are no placeholders. */
static void offer_alternatives(const struct word *word, const char *values)
{
	while (*values) {
		size_t length = strcspn(values, "|");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, values);
		if (*name >= 'a')
			offer(word, name, "");
		values += length + (values[length] == '|');
	}
}

static void offer_entry(const struct entry *entry, void *data)
{
	/* Functions' summaries are their parameters, which are no help here. */
	offer(data, entry->names.name, *entry->summary == '(' ? "" : entry->summary);
}

/* The last part of a list, behind its '!'. */
static struct word last_part(const char *text)
{
	const char *comma = strrchr(text, ',');
	struct word word = { text, comma ? (size_t)(comma + 1 - text) : 0 };

	word.kept += text[word.kept] == '!';
	return word;
}

static void offer_value(const char *value, const char *text)
{
	struct word word = { text, 0 };

	if (!strcmp(value, "SELECTOR")) {
		word = last_part(text);
		catalogue_each("classes", 1, offer_entry, &word);
		catalogue_each("functions", 1, offer_entry, &word);
	} else if (!strcmp(value, "HOOKS")) {
		word = last_part(text);
		catalogue_each("hooks", 1, offer_entry, &word);
	} else {
		offer_alternatives(&word, value);
	}
	if (strstr(value, "PATH"))
		puts(":files");
}

static void offer_options(const char *command, const char *text)
{
	struct word word = { text, 0 };

	for (const struct option_row *row = option_rows; row->name; row++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", row->name);
		if (option_belongs(row, command))
			offer(&word, name, row->help);
	}
}

/* The option the word names whose value comes next, or NULL. */
static const struct option_row *wants_value(const char *command, const char *text)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (*row->value && option_belongs(row, command) &&
		    (text[1] == '-' ? !strcmp(text + 2, row->name)
				    : text[1] == row->letter && !text[2]))
			return row;
	return NULL;
}

static void offer_argument(const struct command *command, int place, char **arguments,
			   const char *text)
{
	struct word word = { text, 0 };
	char first[128];

	if (command_reads(command)) {
		puts(":files");
	} else if (place == 0) {
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(command->arguments, " "),
			 command->arguments);
		offer_alternatives(&word, first);
	} else if (place == 1) {
		for (int i = 0; catalogue_kinds[i]; i++)
			if (!strcmp(catalogue_kinds[i], arguments[0]))
				catalogue_each(catalogue_kinds[i], 1, offer_entry, &word);
	}
}

static void complete_command(const struct command *command, int count, char **words)
{
	const struct option_row *pending = NULL;
	const char *text = words[count - 1];
	char *arguments[2];
	int place = 0;

	for (int i = 1; i < count; i++) {
		const char *word = words[i];

		/* bash takes --name=value for three words. */
		if (!strcmp(word, "=")) {
			if (i == count - 1)
				text = "";
			continue;
		}
		if (i == count - 1)
			break;
		if (pending) {
			pending = NULL;
		} else if (command_runs(command) && (*word != '-' || !strcmp(word, "--"))) {
			printf(":program %d\n", i + (*word == '-'));
			return;
		} else if (strstr(command->arguments, "[-- ") && !strcmp(word, "--")) {
			printf(":program %d\n", i + 1);
			return;
		} else if (*word == '-') {
			pending = wants_value(command->name, word);
		} else if (place < 2) {
			arguments[place++] = words[i];
		}
	}
	if (pending)
		offer_value(pending->value, text);
	else if (*text == '-')
		offer_options(command->name, text);
	else if (command_runs(command))
		printf(":program %d\n", count - 1);
	else
		offer_argument(command, place, arguments, text);
}

int complete(int count, char **words)
{
	struct word word = { count ? words[0] : "", 0 };
	const struct command *command;

	if (count > 1) {
		command = command_find(words[0]);
		if (command)
			complete_command(command, count, words);
		return TOOL_OK;
	}
	for (command = commands; command->name; command++)
		offer(&word, command->name, command->summary);
	if (*word.text == '-')
		offer_options(NULL, word.text);
	return TOOL_OK;
}
