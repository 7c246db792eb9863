/* SPDX-License-Identifier: Apache-2.0 */
/* Processes below this one that have the driver and are not held to what its command is. */
#include "tools/unwatched.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/process.h"

static struct unwatched *found;
static size_t nfound, room_found;

/* To be looked at, whose children follow. */
static struct {
	uint32_t *pids;
	size_t count, room;
} list;

/* Programs that are audited: their mappings, which are long, are read once. Those of the last look, and of this one. */
static struct watched {
	uint32_t pid;
	uint64_t image;
} *watched, *before;

static size_t nwatched, nbefore, room_watched, room_before;

static bool out_of_memory;	/* not all were looked at */

static struct {
	const char *auditor, *hooks;
} marks;

void unwatched_begin(const char *auditor, const char *hooks)
{
	marks.auditor = auditor;
	marks.hooks = hooks;
	nfound = nwatched = 0;
	out_of_memory = false;
}

/* The array with room for one more; NULL: memory is out, and that is kept. */
static void *with_room(void *array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *larger;

	if (count < *room)
		return array;
	larger = realloc(array, more * size);
	out_of_memory |= !larger;
	*room = larger ? more : *room;
	return larger;
}

static bool is_known(uint32_t pid)
{
	for (size_t i = 0; i < nfound; i++)
		if (found[i].pid == pid)
			return true;
	return false;
}

static bool was_watched(struct watched which)
{
	for (size_t i = 0; i < nbefore; i++)
		if (before[i].pid == which.pid && before[i].image == which.image)
			return true;
	return false;
}

static void keep_watched(struct watched which)
{
	struct watched *all = with_room(watched, nwatched, &room_watched, sizeof(*watched));

	if (!all)
		return;
	watched = all;
	watched[nwatched++] = which;
}

/*
 * By its mappings: with the environment of an audited one, the loader leaves the auditor out of a program with other
 * privileges, or where its file is not. An environment with neither may have been written over, of a program that
 * is audited.
 */
static bool is_unwatched(const char *pid)
{
	bool asked = process_has(pid, PROCESS_ENVIRONMENT, marks.auditor);
	bool held = asked && process_has(pid, PROCESS_ENVIRONMENT, marks.hooks);

	return process_has(pid, PROCESS_MAPS, "/libcuda.so") &&
	       (asked != held || !process_has(pid, PROCESS_MAPS, "/libcuaudit.so"));
}

/* The auditor is never unmapped; the hooks stay those of the environment it was started with. */
static bool is_watched(const char *pid)
{
	return process_has(pid, PROCESS_MAPS, "/libcuaudit.so") && process_has(pid, PROCESS_ENVIRONMENT, marks.hooks);
}

static void add(const char *pid)
{
	struct unwatched *all = with_room(found, nfound, &room_found, sizeof(*found)), *to;
	char path[64];
	FILE *file;

	if (!all)
		return;
	found = all;
	to = &found[nfound];
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
	struct watched which = { .pid = number };
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", number);
	which.image = process_image(pid);
	if (which.image && (was_watched(which) || (is_watched(pid) && process_image(pid) == which.image))) {
		keep_watched(which);
		return;
	}
	if (!is_known(number) && is_unwatched(pid) && is_unwatched(pid))
		add(pid);
}

static void take_children(const char *process, const char *thread)
{
	char path[96];
	unsigned int pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/children", process, thread);
	file = fopen(path, "re");
	while (file && fscanf(file, "%u", &pid) == 1) {
		uint32_t *all = with_room(list.pids, list.count, &list.room, sizeof(*all));

		if (!all)
			break;
		list.pids = all;
		list.pids[list.count++] = pid;
	}
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
	struct watched *last = before;
	size_t room = room_before;
	char pid[16];

	before = watched;
	nbefore = nwatched;
	room_before = room_watched;
	watched = last;
	room_watched = room;
	nwatched = 0;
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

bool unwatched_is_whole(void)
{
	return !out_of_memory;
}
