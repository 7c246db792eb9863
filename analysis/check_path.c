/* SPDX-License-Identifier: Apache-2.0 */
/* How a file is called in a result. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "analysis/check_report.h"

const char *check_path(const char *path)
{
	static char directory[PATH_MAX];
	size_t length;

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (*path != '/' || (!*directory && !getcwd(directory, sizeof(directory))))
		return path;
	length = strlen(directory);
	return length > 1 && !strncmp(path, directory, length) && path[length] == '/' &&
	       path[length + 1] ? path + length + 1 : path;
}
