/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of the tool. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

/* Exit statuses. */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 2		/* wrong usage, or a file that is not what it should be */
};

/* One line on stderr: "cuaudit: ...". */
__attribute__((format(printf, 1, 2)))
void tool_complain(const char *format, ...);

/* Each takes what follows its own name on the command line, that name first. */
int tool_report(int argc, char **argv);

#endif
