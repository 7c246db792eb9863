/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of system calls that a program has installed for itself. */
#include "util/sandbox.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/io.h"

/* "NAME:\t" in text of /proc/PID/status: its number, or -1. */
static int number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (int)io_number(at + strlen(name)) : -1;
}

/* How many there are by a /proc/PID/status; -1: unknown. */
static int filters(const char *path)
{
	char text[4096];
	int mode, count;

	if (io_read_file(path, text, sizeof(text), IO_NOW) <= 0)
		return -1;
	mode = number_of(text, "\nSeccomp:\t");
	count = number_of(text, "\nSeccomp_filters:\t");	/* since Linux 5.9 */
	return mode > 0 && count > 0 ? count : mode;
}

bool sandbox_is_own(void)
{
	char path[32];
	int own = filters("/proc/thread-self/status"), inherited;

	if (own <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)getppid());
	inherited = filters(path);
	return inherited >= 0 && inherited < own;
}
