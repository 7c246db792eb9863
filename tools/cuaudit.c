/* SPDX-License-Identifier: Apache-2.0 */
/* The cuaudit command: finds the subcommand. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments;
	const char *summary;
} commands[] = {
	{ "report", tool_report, "[--format text|json] [--threads N] FILE...",
	  "print what a process left behind" }
};

enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]) };

void tool_complain(const char *format, ...)
{
	va_list list;

	fflush(stdout);
	fputs("cuaudit: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	putc('\n', stderr);
}

static int help(void)
{
	puts("usage: cuaudit COMMAND [ARGUMENT...]\n"
	     "       cuaudit --help | --version\n");
	for (int i = 0; i < NCOMMANDS; i++)
		printf("  %s %s\n      %s\n", commands[i].name, commands[i].arguments,
		       commands[i].summary);
	puts("\nThe manual: cuaudit(1); to audit a program: libcuaudit(7).");
	return TOOL_OK;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		tool_complain("no command; see cuaudit --help");
		return TOOL_FAILED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("cuaudit " PACKAGE_VERSION);
		return TOOL_OK;
	}
	for (int i = 0; i < NCOMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	tool_complain("there is no command '%s'; see cuaudit --help", argv[1]);
	return TOOL_FAILED;
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	if (fflush(stdout) || ferror(stdout)) {
		tool_complain("cannot write: %s", strerror(errno));
		return TOOL_FAILED;
	}
	return status;
}
