/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, by the table of commands.def. */
#include "tools/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tools/catalogue.h"
#include "tools/conflicts.h"
#include "tools/help.h"
#include "tools/tool.h"
#include "util/globs.h"
#include "util/nearest.h"
#include "util/selector.h"

bool options_among(const char *values, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		size_t own = strcspn(values, "|");

		if (own == length && !memcmp(values, word, length))
			return true;
		values += own;
		if (!*values++)
			return false;
	}
}

int options_selector(const char *what, const char *text)
{
	char near[SELECTOR_NEAR];
	size_t length;
	const char *fault = selector_fault(text, &length);

	/* In a variable it is the default, all functions. */
	if (!*text)
		fault = text;
	if (!fault)
		return 0;
	selector_near(fault, length, near, catalogue_function);
	tool_complain("%s'%.*s' is no selector%s", what, (int)length, fault, near);
	return -1;
}

void options_unmatched(const char *what, const struct selector *selector)
{
	char part[SELECTOR_NEAR], near[SELECTOR_NEAR] = "", more[32] = "";
	uint32_t count = selector_unmatched(selector, part);
	const char *text = part;
	size_t length;

	if (!count)
		return;
	if (selector_unknown_name(text, &length, catalogue_function))
		selector_near(part, strlen(part), near, catalogue_function);
	if (count > 1)
		snprintf(more, sizeof(more), " and %u more", count - 1);
	tool_complain("%s'%s'%s took no function of these files%s", what, part, more, near);
}

int options_range(const char *value, const char **glob)
{
	*glob = value;
	if (glob_is_one(value))
		return 0;
	tool_complain("--in-range takes a glob over the names of ranges, not '%s'", value);
	return -1;
}

void options_no_range(const char *glob)
{
	tool_complain("--in-range: '%s' took no range that a thread of these files pushed", glob);
}

int options_names(const char *word, enum demangle *how)
{
	if (!options_among(DEMANGLE_WORDS, word)) {
		tool_complain("--demangle takes %s, not '%s'", DEMANGLE_WORDS, word);
		return -1;
	}
	*how = demangle_named(word);
	if (*how == DEMANGLE_NO || demangle_is_there())
		return 0;
	tool_complain("this cuaudit was built without libsupc++, which --demangle needs");
	return -1;
}

void options_unknown(const char *what, const char *word, const char *const *words,
		     const char *command)
{
	size_t length = *word == '-' ? strcspn(word, "=") : strlen(word);
	const char *near = nearest(word, length, words);

	if (near)
		tool_complain("there is no %s '%s'; did you mean %s?", what, word, near);
	else
		tool_complain("there is no %s '%s'; see cuaudit %s%s--help", what, word, command,
			      *command ? " " : "");
}

/* What getopt did not take: optopt, and the word before optind. */
static void complain(const char *command, const char *word)
{
	static char names[OPTION_ROWS][32];
	const char *known[OPTION_ROWS + 1];
	size_t count = 0;

	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!option_belongs(row, command))
			continue;
		if (optopt == row->letter) {
			tool_complain("--%s takes no value", row->name);
			return;
		}
		known[count] = memcpy(names[count], "--", 2);
		strcpy(names[count++] + 2, row->name);
	}
	known[count] = NULL;
	if (optopt)
		tool_complain("there is no option '-%c' of %s; see cuaudit %s --help", optopt,
			      command, command);
	else
		options_unknown("option", word, known, command);
}

/* Whether its value is a path, and empty. */
static bool lacks_path(const struct option_row *row)
{
	return (strstr(row->value, "PATH") || options_among("FILE|DIR", row->value)) && !*optarg;
}

/* Whether an option with a value may not be given again, or takes no such, after a message. */
static bool is_wrong(const char *command, int letter)
{
	static bool seen[OPTION_ROWS];

	for (size_t i = 0; option_rows[i].name; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->letter != letter || !option_belongs(row, command))
			continue;
		if (seen[i] && *row->value && !strstr(row->help, "more than once")) {
			tool_complain("--%s is given twice", row->name);
			return true;
		}
		if (lacks_path(row)) {
			tool_complain("--%s takes %s, not ''", row->name, row->value);
			return true;
		}
		seen[i] = true;
		conflicts_given(i, *row->value ? optarg : NULL);
	}
	return false;
}

int options_next(int argc, char **argv)
{
	const struct command *command = command_find(argv[0]);
	struct option longs[OPTION_ROWS + 1];
	char shorts[2 * OPTION_ROWS + 3];
	size_t count = 0, used = 0;
	int option;

	/* A program's options are its own; a missing value is told apart. */
	if (command_runs(command))
		shorts[used++] = '+';
	shorts[used++] = ':';
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!option_belongs(row, command->name))
			continue;
		longs[count++] = (struct option){ row->name,
						  *row->value ? required_argument : no_argument,
						  NULL, row->letter };
		shorts[used++] = (char)row->letter;
		if (*row->value)
			shorts[used++] = ':';
	}
	shorts[used] = '\0';
	longs[count] = (struct option){ NULL, 0, NULL, 0 };

	opterr = 0;
	option = getopt_long(argc, argv, shorts, longs, NULL);
	switch (option) {
	case -1:
		return conflicts_any(command->name, NULL) ? OPTIONS_WRONG : OPTIONS_END;
	case 'h':
		help_command(command);
		return OPTIONS_ENOUGH;
	case 'V':
		help_version();
		return OPTIONS_ENOUGH;
	case ':':
		tool_complain("%s wants a value; see cuaudit %s --help", argv[optind - 1],
			      command->name);
		return OPTIONS_WRONG;
	case '?':
		complain(command->name, argv[optind - 1]);
		return OPTIONS_WRONG;
	default:
		return is_wrong(command->name, option) ? OPTIONS_WRONG : option;
	}
}

int options_program(int argc, char **argv)
{
	if (optind < argc)
		return 0;
	tool_complain("%s: no program given; see cuaudit %s --help", argv[0], argv[0]);
	return OPTIONS_WRONG;
}

/* The name of the long option of that command which a word is, with its value or without; NULL: none. */
static const char *long_option(const char *command, const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct option_row *row = option_rows; row->name; row++)
		if (option_belongs(row, command) && length == strlen(row->name) + 2 &&
		    !strncmp(word, "--", 2) && !memcmp(word + 2, row->name, length - 2))
			return row->name;
	return NULL;
}

void options_misplaced(int argc, char **argv)
{
	const char *name;

	if (!strcmp(argv[optind - 1], "--"))
		return;
	for (int i = optind + 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		name = long_option(argv[0], argv[i]);
		if (!name || !strcmp(name, "help") || !strcmp(name, "version"))
			continue;
		tool_complain("%s: --%s behind %s is left to that program; for %s, give it before the "
			      "program; else put -- before the program", argv[0], name, argv[optind],
			      argv[0]);
		return;
	}
}

int options_status(int option)
{
	return option == OPTIONS_ENOUGH ? TOOL_OK : TOOL_FAILED;
}
