/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the tool's parts: what they complain of, a directory for their files. */
#ifndef T_TOOL_UNIT_H
#define T_TOOL_UNIT_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t/tap.h"
#include "tools/tool.h"

static char said[8192];		/* every line since it was last cleared */

void tool_complain(const char *format, ...)
{
	size_t used = strlen(said);
	va_list list;

	va_start(list, format);
	vsnprintf(said + used, sizeof(said) - used, format, list);
	va_end(list);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

static char unit_directory[] = "unit-XXXXXX";

static inline void directory_enter(void)
{
	if (!mkdtemp(unit_directory) || chdir(unit_directory))
		bail_out("no directory for files");
}

static inline int directory_remove_one(const char *path, const struct stat *status, int type,
				    struct FTW *at)
{
	(void)status, (void)type, (void)at;
	return remove(path);
}

static inline void directory_leave(void)
{
	if (!chdir(".."))
		nftw(unit_directory, directory_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void directory_file(const char *name, const char *contents)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(contents, file) < 0 || fclose(file))
		bail_out("cannot write %s", name);
}

#endif
