/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands.def. */
#include "tools/commands.h"

#include <string.h>

#include "tools/tool.h"

const struct command commands[] = {
#define OPTION(commands, letter, name, value, help)
#define COMMAND(name, arguments, summary) { #name, tool_##name, arguments, summary },
#include "tools/commands.def"
#undef COMMAND
#undef OPTION
	{ NULL, NULL, NULL, NULL }
};

const struct option_row option_rows[] = {
#define OPTION(commands, letter, name, value, help) { commands, letter, name, value, help },
#define COMMAND(name, arguments, summary)
#include "tools/commands.def"
#undef COMMAND
#undef OPTION
	{ NULL, 0, NULL, NULL, NULL }
};

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

bool option_belongs(const struct option_row *row, const char *command)
{
	size_t length = command ? strlen(command) : 0;
	const char *at = row->commands;

	if (strchr(at, '*'))
		return true;
	while (length && (at = strstr(at, command))) {
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
		at += length;
	}
	return false;
}

bool command_runs(const struct command *command)
{
	return strstr(command->arguments, "PROGRAM") && !command_reads(command);
}

bool command_reads(const struct command *command)
{
	return strstr(command->arguments, "FILE...");
}
