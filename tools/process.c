/* SPDX-License-Identifier: Apache-2.0 */
/* Whether processes that were started here still run, by what /proc tells. */
#include "tools/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracefile/ending.h"

bool process_runs(uint32_t pid, uint64_t start)
{
	uint64_t ticks = trace_process_ticks(pid);

	return ticks && ticks == start;
}

static bool has_environment(const char *pid, const char *mark)
{
	size_t length = strlen(mark), used = 0;
	char buffer[65536], path[64];
	bool found = false;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (!found && (got = read(fd, buffer + used, sizeof(buffer) - used)) > 0) {
		used += (size_t)got;
		found = memmem(buffer, used, mark, length);
		/* It may begin at the end. */
		if (used == sizeof(buffer)) {
			memmove(buffer, buffer + used - length, length);
			used = length;
		}
	}
	close(fd);
	return found;
}

bool process_known(void)
{
	return !access("/proc/self/environ", R_OK);
}

size_t process_count(const char *environment)
{
	DIR *entries = opendir("/proc");
	const struct dirent *entry;
	size_t count = 0;

	while (entries && (entry = readdir(entries)))
		count += *entry->d_name >= '1' && *entry->d_name <= '9' &&
			 has_environment(entry->d_name, environment);
	if (entries)
		closedir(entries);
	return count;
}
