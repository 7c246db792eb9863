/* SPDX-License-Identifier: Apache-2.0 */
/* Processes below this one that have the driver and are not held to what its command is. */
#include "tools/unwatched.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/process.h"

enum { MOST = 16, PIDS = 4096 };

static struct unwatched found[MOST];
static size_t nfound;

/* To be looked at, whose children follow. */
static struct {
	uint32_t pids[PIDS];
	size_t count;
} list;

static struct {
	const char *auditor, *hooks;
} marks;

void unwatched_begin(const char *auditor, const char *hooks)
{
	marks.auditor = auditor;
	marks.hooks = hooks;
	nfound = 0;
}

static bool is_known(uint32_t pid)
{
	for (size_t i = 0; i < nfound; i++)
		if (found[i].pid == pid)
			return true;
	return false;
}

/* An environment with neither may have been written over, of a program that is audited. */
static bool is_unwatched(const char *pid)
{
	bool asked = process_has(pid, PROCESS_ENVIRONMENT, marks.auditor);

	if (asked && process_has(pid, PROCESS_ENVIRONMENT, marks.hooks))
		return false;
	return process_has(pid, PROCESS_MAPS, "/libcuda.so") &&
	       (asked || !process_has(pid, PROCESS_MAPS, "/libcuaudit.so"));
}

static void add(const char *pid)
{
	struct unwatched *to = &found[nfound];
	char path[64];
	FILE *file;

	*to = (struct unwatched){ .pid = (uint32_t)strtoul(pid, NULL, 10) };
	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(to->name, sizeof(to->name), file))
		to->name[strcspn(to->name, "\n")] = '\0';
	if (file)
		fclose(file);
	nfound++;
}

/* Both looks agree, so that none has seen one program's environment and another one's mappings. */
static void judge(uint32_t number)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", number);
	if (nfound < MOST && !is_known(number) && is_unwatched(pid) && is_unwatched(pid))
		add(pid);
}

static void take_children(const char *process, const char *thread)
{
	char path[96];
	unsigned int pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/children", process, thread);
	file = fopen(path, "re");
	while (file && list.count < PIDS && fscanf(file, "%u", &pid) == 1)
		list.pids[list.count++] = pid;
	if (file)
		fclose(file);
}

/* Those of each of its threads. */
static void take_all_children(const char *process)
{
	const struct dirent *entry;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%.20s/task", process);
	threads = opendir(path);
	while (threads && (entry = readdir(threads)))
		if (*entry->d_name != '.')
			take_children(process, entry->d_name);
	if (threads)
		closedir(threads);
}

void unwatched_look(void)
{
	char pid[16];

	list.count = 0;
	take_all_children("self");
	for (size_t i = 0; i < list.count; i++) {
		judge(list.pids[i]);
		snprintf(pid, sizeof(pid), "%u", list.pids[i]);
		take_all_children(pid);
	}
}

const struct unwatched *unwatched_get(size_t index)
{
	return index < nfound ? &found[index] : NULL;
}
