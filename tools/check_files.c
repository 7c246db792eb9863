/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the processes of a checked run left in their directory. */
#include "tools/check_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/check_file.h"
#include "tools/process.h"
#include "tracefile/ending.h"
#include "tracefile/tracefile.h"
#include "util/check_mark.h"
#include "util/rule_line.h"

enum { HELPERS_MS = 2000, PAUSE_MS = 20 };

bool check_files_is_one(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* A process that becomes another program has a number behind the name. */
bool check_files_is_trace(const struct dirent *entry)
{
	return strstr(entry->d_name, TRACE_SUFFIX);
}

/* Whether the name is that of a mark, of a process, which is reported then. */
static bool take_mark(struct check_result *result, const char *name)
{
	static const size_t unchecked = sizeof(CHECK_MARK_UNCHECKED) - 1, replaced = sizeof(CHECK_MARK_REPLACED) - 1;

	if (!strncmp(name, CHECK_MARK_UNCHECKED, unchecked))
		check_problem(result, "process %s is not checked: CUAUDIT_DISABLE, CUAUDIT_EXCLUDE, "
			      "CUAUDIT_INCLUDE or CUAUDIT_STRICT=check of its environment keep calls from the "
			      "rules, or it could not be audited", name + unchecked);
	else if (!strncmp(name, CHECK_MARK_REPLACED, replaced))
		check_problem(result, "process %s is not checked: it has, or cuaudit started it with, other hooks; give "
			      "them to cuaudit check by --hooks", name + replaced);
	else
		return false;
	return true;
}

static void load_file(struct check_result *result, int directory, const char *name)
{
	struct check_file *file;
	const char *fault;

	if (take_mark(result, name))
		return;
	fault = check_file_read(directory, name, &file);
	if (fault)
		check_problem(result, "%s, a process's file, is %s", name, fault);
	else
		check_add(result, file, !file->header.ended &&
			  process_runs(file->header.pid, file->header.process_start));
}

static void load(struct check_result *result, const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;

	if (!entries) {
		check_problem(result, "cannot read %s: %s", directory, strerror(errno));
		return;
	}
	while ((entry = readdir(entries)))
		if (check_files_is_one(entry) && !check_files_is_trace(entry))
			load_file(result, dirfd(entries), entry->d_name);
	closedir(entries);
}

static size_t count_running(const struct check_result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < result->nprocesses; i++)
		count += result->processes[i].runs;
	return count;
}

/* Helpers, as of Python's multiprocessing, end when they see that the command did: how many stay. */
static size_t wait_for_helpers(const char *environment)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	size_t running = process_count(environment);

	for (int ms = 0; running && ms < HELPERS_MS; ms += PAUSE_MS) {
		nanosleep(&pause, NULL);
		running = process_count(environment);
	}
	return running;
}

/* One that ends meanwhile may have written behind our back: it is read again then. */
void check_files_load(struct check_result *result, const char *directory, const char *environment)
{
	size_t running = wait_for_helpers(environment);
	char which[96] = "";

	load(result, directory);
	if (running && !process_count(environment)) {
		check_drop(result);
		load(result, directory);
		running = 0;
	}
	if (!trace_processes_known())
		check_problem(result, "whether processes of the command still run is not known: "
			      "/proc is not there; mount it");
	/* The others have called no function of the driver yet. */
	running -= count_running(result) < running ? count_running(result) : running;
	if (running && process_hidden())
		snprintf(which, sizeof(which), " (process %lu does not show its environment and may be another's)",
			 process_hidden());
	if (running)
		check_problem(result, "%zu process%s of the command still run%s%s: what is called from "
			      "now on is not checked; let the command wait for all", running,
			      running == 1 ? "" : "es", running == 1 ? "s" : "", which);
}

/* Calls take for each line, without those that rules do not have, which the trial finds. */
static void each_line(const char *rules, void (*take)(const struct line *line, void *data), void *data)
{
	static struct line line;
	FILE *file = fopen(rules, "re");
	char *text = NULL;
	size_t size = 0;

	while (file && getline(&text, &size, file) >= 0) {
		text[strcspn(text, "\n")] = '\0';
		if (!rule_line_split(&line, text))
			take(&line, data);
	}
	free(text);
	if (file)
		fclose(file);
}

static void take_idle(const struct line *line, void *data)
{
	*(bool *)data |= line->count == 2 && rule_line_has(line, 0, "optional") && rule_line_has(line, 1, "calls");
}

bool check_files_may_be_idle(const char *rules)
{
	bool found = false;

	each_line(rules, take_idle, &found);
	return found;
}

/* mark NAME = signal USR1 */
static void take_signal(const struct line *line, void *data)
{
	const char *name = line->count == 5 ? line->words[4].text : "";
	unsigned int *signals = data;

	if (!rule_line_has(line, 0, "mark") || !rule_line_has(line, 3, "signal"))
		return;
	name += strncmp(name, "SIG", 3) ? 0 : 3;
	*signals |= !strcmp(name, "USR1") ? 1u << SIGUSR1 : !strcmp(name, "USR2") ? 1u << SIGUSR2 : 0;
}

unsigned int check_files_signals(const char *rules)
{
	unsigned int signals = 0;

	each_line(rules, take_signal, &signals);
	return signals;
}

/* Up to the marks, which the process looks at as well. */
static void mark(int fd, unsigned int signals)
{
	const size_t size = offsetof(struct check_file, allows);
	struct check_file *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint32_t count;

	if (file == MAP_FAILED)
		return;
	count = file->header.nmarks;
	for (uint32_t i = 0; i < count && i < CHECK_MARKS; i++) {
		uint32_t number = file->marks[i].signal;

		if (number && number < 32 && signals & 1u << number)
			atomic_store_explicit(&file->marks[i].reached, 1, memory_order_release);
	}
	munmap(file, size);
}

/* Whether it is as large as a process makes it: no store to it is a SIGBUS then. */
static bool is_whole(int fd)
{
	struct check_header header;
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       status.st_size == (off_t)sizeof(struct check_file) &&
	       pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       header.version == CHECK_VERSION &&
	       !memcmp(header.magic, CHECK_MAGIC, sizeof(header.magic));
}

void check_files_mark(const char *directory, unsigned int signals)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		int fd = check_files_is_one(entry) ?
			 openat(dirfd(entries), entry->d_name,
				O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

		if (fd >= 0 && is_whole(fd))
			mark(fd, signals);
		if (fd >= 0)
			close(fd);
	}
	if (entries)
		closedir(entries);
}
