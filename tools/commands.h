/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands and their options: commands.def as C. */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H

#include <stdbool.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments;
	const char *summary;
};

struct option_row {
	const char *commands;
	int letter;
	const char *name;
	const char *value;	/* "" if it takes none */
	const char *help;
};

enum {
#define COMMAND(name, arguments, summary)
#define OPTION(commands, letter, name, value, help) + 1
	OPTION_ROWS = 0
#include "tools/commands.def"
#undef OPTION
#undef COMMAND
	+ 1	/* the end */
};

/* Both end with a NULL name. */
extern const struct command commands[];
extern const struct option_row option_rows[];

/* The subcommand of that name, or NULL. */
const struct command *command_find(const char *name);

/* Whether the subcommand, NULL for none, has the option. */
bool option_belongs(const struct option_row *row, const char *command);

/* Whether the subcommand ends in a program and its arguments, which are no options of ours. */
bool command_runs(const struct command *command);

/* Whether it takes files, and a program behind -- at most. */
bool command_reads(const struct command *command);

#endif
