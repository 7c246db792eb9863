/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: a process ends when the tool has just read what there is. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static DIR *statistics;

DIR *opendir(const char *path)
{
	DIR *(*next)(const char *) = (DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir");
	DIR *entries = next(path);

	if (!strcmp(program_invocation_short_name, "cuaudit") && strstr(path, "/cuaudit-stat-"))
		statistics = entries;
	return entries;
}

/* Lets a process go that waits for a reader of $BEHIND, until it has ended. */
int closedir(DIR *entries)
{
	int (*next)(DIR *) = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
	const char *path = getenv("BEHIND");
	char byte;
	int fd;

	if (path && entries == statistics) {
		fd = open(path, O_RDONLY);
		while (read(fd, &byte, 1) > 0)
			;
		close(fd);
		unsetenv("BEHIND");
	}
	return next(entries);
}
