/* SPDX-License-Identifier: Apache-2.0 */
/* What --help and --version print. */
#include <config.h>

#include "tools/help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 79, COLUMN = 28 };

/* From the column on, where the line now stands at `at`. */
static void wrap(const char *text, int at)
{
	if (at >= COLUMN) {
		putchar('\n');
		at = 0;
	}
	at += printf("%*s", COLUMN - at, "");
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at > COLUMN && at + 1 + length > WIDTH)
			at = printf("\n%*s", COLUMN, "") - 1;
		else if (at > COLUMN)
			at += printf(" ");
		at += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void help_options(const char *command)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (option_belongs(row, command))
			wrap(row->help, printf("  -%c, --%s%s%s", row->letter, row->name,
					       *row->value ? " " : "", row->value));
}

void help_version(void)
{
	puts("cuaudit " PACKAGE_VERSION);
}

void help_all(void)
{
	puts("usage: cuaudit COMMAND [OPTION...] [ARGUMENT...]\n");
	for (const struct command *command = commands; command->name; command++)
		wrap(command->summary, printf("  %s", command->name));
	putchar('\n');
	help_options(NULL);
	puts("\ncuaudit COMMAND --help shows the options of one.\n"
	     "The manual: cuaudit(1); to audit without this command: libcuaudit(7).");
}

void help_command(const struct command *command)
{
	printf("usage: cuaudit %s [OPTION...] %s\n\n%s\n\n", command->name, command->arguments,
	       command->summary);
	help_options(command->name);
	printf("\nThe manual: cuaudit(1).\n");
}
