/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of the tool. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

/* Exit statuses; those of run, stat and trace are the program's, or env(1)'s. */
enum {
	TOOL_OK = 0,
	TOOL_FOUND = 1,		/* doctor: there is a problem */
	TOOL_FAILED = 2,	/* wrong usage, or a file that is not what it should be */
	TOOL_BROKEN = 88,	/* a gate: what was to hold does not */
	TOOL_NOT_MADE = 89,	/* a gate: whether it holds could not be found out */
	TOOL_CANNOT_RUN = 126,	/* the program is there and cannot be run, or not be audited */
	TOOL_NO_PROGRAM = 127
};

/* One line on stderr: "cuaudit: ...". */
__attribute__((format(printf, 1, 2)))
void tool_complain(const char *format, ...);

/* tool_NAME: each takes what follows its own name on the command line, that name first. */
#define OPTION(commands, letter, name, value, help)
#define COMMAND(name, arguments, summary) int tool_##name(int argc, char **argv);
#include "tools/commands.def"
#undef COMMAND
#undef OPTION

#endif
