/* SPDX-License-Identifier: Apache-2.0 */
/* The cuaudit command: finds the subcommand. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/complete.h"
#include "tools/help.h"
#include "tools/options.h"
#include "tools/probe.h"
#include "tools/tool.h"
#include "tools/trial.h"
#include "util/check_mark.h"
#include "util/io.h"
#include "util/text.h"

/* One line, whatever is in a name. */
void tool_complain(const char *format, ...)
{
	char text[8192], line[8192];
	struct io_signals signals;
	va_list list;

	fflush(stdout);
	va_start(list, format);
	if (vsnprintf(text, sizeof(text), format, list) < 0)
		*text = '\0';
	va_end(list);
	text_print(line, sizeof(line), text, strlen(text));
	/* A message that nobody reads changes neither our status nor the program's. */
	io_enter(&signals);
	fprintf(stderr, "cuaudit: %s\n", line);
	io_leave(&signals);
}

static void unknown(const char *word)
{
	const char *words[64] = { "--help", "--version" };
	int count = 2;

	for (const struct command *command = commands; command->name && count < 63; command++)
		words[count++] = command->name;
	options_unknown(*word == '-' ? "option" : "command", word, words, "");
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		tool_complain("no command; see cuaudit --help");
		return TOOL_FAILED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_all();
		return TOOL_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		help_version();
		return TOOL_OK;
	}
	/* Not for people: what the shells' completions ask, and children of its own. */
	if (!strcmp(argv[1], "--complete"))
		return complete(argc - 2, argv + 2);
	if (!strcmp(argv[1], PROBE_WORD) && (argc == 3 || argc == 4))
		return probe(argv[2], argc == 4);
	if (!strcmp(argv[1], CHECK_TRIAL_WORD) && argc == 4)
		return trial(argv[2], argv[3]);
	command = command_find(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	unknown(argv[1]);
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
