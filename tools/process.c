/* SPDX-License-Identifier: Apache-2.0 */
/* Whether processes that were started here still run, by what /proc tells. */
#include "tools/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracefile/proc.h"

enum { EXEC_MS = 1000 };

bool process_runs(uint32_t pid, uint64_t start)
{
	uint64_t ticks = trace_process_ticks(pid);

	return start && (ticks == start || trace_namespace_pid(pid, (uint32_t)start, 0));
}

/* Fields of /proc/PID/stat: 4, 22, 23, 26, 50 and 51. */
struct layout {
	unsigned int parent;
	unsigned long long began, memory, code, start, end;
};

static bool read_layout(const char *pid, struct layout *layout)
{
	char path[64], text[2048];
	const char *at;
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[got] = '\0';
	at = strrchr(text, ')');
	return at &&
	       sscanf(at, ") %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %*s %llu %llu %*s %*s %llu %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu",
			  &layout->parent, &layout->began, &layout->memory, &layout->code, &layout->start,
			  &layout->end) == 6;
}

/*
 * The size of its environment in bytes; -1: exec has not laid it out yet, which is done when it writes where
 * the code begins. Without memory, as zombies and kernel threads are, it is 0.
 */
static long long environment_size(const char *pid)
{
	struct layout layout;

	if (!read_layout(pid, &layout) || !layout.memory)
		return 0;
	return layout.code ? (long long)(layout.end - layout.start) : -1;
}

uint64_t process_image(const char *pid)
{
	struct layout layout;
	struct stat program;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	if (!read_layout(pid, &layout) || stat(path, &program))
		return 0;
	/* Where addresses are not random, the file tells. */
	return (layout.began << 40 ^ layout.start ^ (uint64_t)program.st_ino << 20 ^ program.st_dev) | 1;
}

/* Adds to *size what was read. */
static bool reads_mark(int fd, const char *mark, long long *size)
{
	size_t length = strlen(mark), used = 0;
	static char buffer[65536];	/* the stack may be a small one */
	bool found = false;
	ssize_t got;

	while (!found && (got = read(fd, buffer + used, sizeof(buffer) - used)) > 0) {
		*size += got;
		used += (size_t)got;
		found = memmem(buffer, used, mark, length);
		/* It may begin at the end. */
		if (used == sizeof(buffer)) {
			memmove(buffer, buffer + used - length, length);
			used = length;
		}
	}
	return found;
}

/* Amid exec the old environment is gone and the new one not there: it is read again then. */
static bool has_environment(const char *pid, const char *mark)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	char path[64];
	bool found = false, whole = false;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	for (int i = 0; !found && !whole && i < EXEC_MS; i++) {
		long long size = 0;
		int fd;

		if (i)
			nanosleep(&pause, NULL);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
		found = reads_mark(fd, mark, &size);
		whole = size == environment_size(pid);
		close(fd);
	}
	return found;
}

static bool may_have(uint32_t number, const char *environment)
{
	char path[64], pid[16];
	int fd;

	snprintf(pid, sizeof(pid), "%u", number);
	snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT && errno != ESRCH;
	close(fd);
	return has_environment(pid, environment);
}

bool process_may_have(uint32_t pid, const char *environment)
{
	bool has = may_have(pid, environment);

	for (uint32_t here = 0; !has && (here = trace_namespace_pid(pid, 0, here));)
		has = may_have(here, environment);
	return has;
}

static bool maps_have(const char *pid, const char *text)
{
	char path[64];
	long long size = 0;
	bool has;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	has = reads_mark(fd, text, &size);
	close(fd);
	return has;
}

bool process_has(const char *pid, enum process_text where, const char *text)
{
	return where == PROCESS_MAPS ? maps_have(pid, text) : has_environment(pid, text);
}

/* Whether the kernel shows it to root alone, or it was written over, as by a title, of a process that is audited. */
static bool hides_environment(const char *pid)
{
	char path[64], text[4096] = "";
	const char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return !has_environment(pid, "LD_AUDIT=") && maps_have(pid, "/libcuaudit.so");
	}
	if (errno != EACCES && errno != EPERM)
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	at = strstr(text, "\nUid:");
	return at && strtoul(at + sizeof("\nUid:"), NULL, 10) == getuid();
}

/* Whether it is this process or one above it: the first of a system is above whose parents have ended. */
static bool is_above(unsigned int pid)
{
	struct layout layout = { .parent = (unsigned int)getpid() };
	char text[16];

	while (layout.parent > 1 && layout.parent != pid) {
		snprintf(text, sizeof(text), "%u", layout.parent);
		if (!read_layout(text, &layout))
			return false;
	}
	return pid <= 1 || layout.parent == pid;
}

/*
 * Whether a process that hides its environment may be one of those below us: it began after us, as its parents did, and
 * these hide theirs, up to us or, as parents end, to one above us.
 */
static bool may_be_below(const char *pid, const char *environment)
{
	uint64_t own = trace_process_ticks((uint32_t)getpid());
	struct layout layout = { .parent = (unsigned int)strtoul(pid, NULL, 10) };
	char text[16];

	while (own && !is_above(layout.parent)) {
		snprintf(text, sizeof(text), "%u", layout.parent);
		if (!read_layout(text, &layout) || !layout.memory || layout.began < own ||
		    !(has_environment(text, environment) || hides_environment(text)))
			return false;
		if (is_above(layout.parent))
			return true;
	}
	return false;
}

static unsigned long hidden;

unsigned long process_hidden(void)
{
	return hidden;
}

size_t process_count(const char *environment)
{
	DIR *entries = opendir("/proc");
	const struct dirent *entry;
	size_t count = 0;

	hidden = 0;
	while (entries && (entry = readdir(entries)))
		if (*entry->d_name < '1' || *entry->d_name > '9') {
			continue;
		} else if (has_environment(entry->d_name, environment)) {
			count++;
		} else if (may_be_below(entry->d_name, environment)) {
			hidden = strtoul(entry->d_name, NULL, 10);
			count++;
		}
	if (entries)
		closedir(entries);
	return count;
}
