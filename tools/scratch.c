/* SPDX-License-Identifier: Apache-2.0 */
/* The directory in which the processes of a run leave files for the command. */
#include "tools/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/exec.h"
#include "tools/tool.h"

char *scratch_pattern(const char *command)
{
	const char *parent = getenv("TMPDIR");
	char *name = exec_join("cuaudit-", command, "-XXXXXX");
	char *path = exec_join(parent && *parent ? parent : "/tmp", "/", name);

	free(name);
	return path;
}

int scratch_make(const char *pattern, const char *keep, const char *what, char path[PATH_MAX])
{
	char *name = exec_join(NULL, "", keep ? keep : pattern);
	int result = 0;

	if (!keep && !mkdtemp(name)) {
		int error = errno;

		*strrchr(name, '/') = '\0';
		tool_complain("cannot create a directory for %s in %s: %s; set TMPDIR to a "
			      "directory that can be written to", what, name, strerror(error));
		result = -1;
	} else if (!realpath(name, path)) {
		tool_complain("%s: %s", name, strerror(errno));
		result = -1;
	}
	free(name);
	return result;
}

/* How many files there were. */
static size_t remove_files(const char *path, bool (*is_ours)(const struct dirent *entry))
{
	DIR *entries = opendir(path);
	const struct dirent *entry;
	size_t count = 0;

	while (entries && (entry = readdir(entries)))
		if (is_ours(entry))
			count += !unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
	return count;
}

void scratch_remove(const char *path, bool (*is_ours)(const struct dirent *entry))
{
	size_t count;

	/* A process that goes on may begin its file meanwhile. */
	do {
		count = remove_files(path, is_ours);
		if (!rmdir(path))
			return;
	} while (errno == ENOTEMPTY && count);
	if (errno == ENOTEMPTY)
		tool_complain("%s is kept: hooks that the program chose itself wrote their reports "
			      "there", path);
	else
		tool_complain("cannot remove %s: %s", path, strerror(errno));
}
