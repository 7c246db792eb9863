/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver ten times, and changes what the report depends on: WHAT is
 * "chdir", "chroot", "setuid", "environ", "unset", "title", "reuse" or
 * "none", WHEN "first" (before the calls) or "later". The third is a directory.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t/fake/driver.h"

extern char **environ;

/* Titles are written where the arguments and the environment were. */
static void overwrite(void)
{
	for (char **entry = environ; *entry; entry++)
		memset(*entry, 'x', strlen(*entry));
	environ = NULL;
}

/* The program's own data goes to the descriptor that stderr had. */
static int reuse(const char *directory)
{
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/data", directory);
	close(STDERR_FILENO);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	return file != STDERR_FILENO || write(file, "data\n", 5) != 5;
}

static int change(const char *what, const char *directory)
{
	if (!strcmp(what, "chdir"))
		return chdir(directory);
	if (!strcmp(what, "chroot"))
		return chroot(directory) || chdir("/");
	if (!strcmp(what, "setuid"))
		return setgroups(0, NULL) || setgid(65534) || setuid(65534);
	if (!strcmp(what, "reuse"))
		return reuse(directory);
	if (!strcmp(what, "environ"))
		environ = NULL;
	else if (!strcmp(what, "unset"))
		return clearenv();
	else if (!strcmp(what, "title"))
		overwrite();
	return 0;
}

static int call(void)
{
	int failed = 0;

	for (int i = 0; i < 10; i++)
		failed |= cuInit(0);
	return failed;
}

int main(int argc, char **argv)
{
	int failed;

	if (argc < 4)
		return 2;
	if (!strcmp(argv[2], "first"))
		failed = change(argv[1], argv[3]) || call();
	else
		failed = call() || change(argv[1], argv[3]);
	return failed || cuaudit_fake_calls("cuInit") != 10;
}
