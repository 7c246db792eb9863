/* SPDX-License-Identifier: Apache-2.0 */
/* Processes by their numbers: here, or in PID namespaces below this one. */
#include "tracefile/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct process {
	uint32_t pid, inner, start;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct process *processes;
static size_t count;
static bool looked;
static uint32_t when;	/* that was, as ticks: who is not in the list began since, or does not run */

uint64_t trace_process_ticks(uint32_t pid)
{
	char path[64], text[1024], state;
	unsigned long long start;
	const char *at;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %llu", &state, &start) != 2 || strchr("ZXx", state))
		return 0;
	return start;
}

/* Its number in the innermost of its namespaces, 0 where that is this one. */
static uint32_t inner_pid(uint32_t pid)
{
	static char text[8192];
	char path[32], *at, *end;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
	at = strstr(text, "\nNSpid:");
	if (!at)
		return 0;
	at += sizeof("\nNSpid:") - 1;
	end = at + strcspn(at, "\n");
	*end = '\0';
	at = strrchr(at, '\t');
	return at && strtoul(at, NULL, 10) != pid ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

static void add(struct process process)
{
	/* At each power of two there is no more room. */
	if (!(count & (count - 1))) {
		void *more = reallocarray(processes, count ? 2 * count : 1, sizeof(*processes));

		if (!more)
			return;
		processes = more;
	}
	processes[count++] = process;
}

static void look(void)
{
	DIR *entries = opendir("/proc");
	const struct dirent *entry;
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	when = (uint32_t)(((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) *
			  (uint64_t)sysconf(_SC_CLK_TCK) / 1000);
	count = 0;
	while (entries && (entry = readdir(entries))) {
		struct process process = { .pid = (uint32_t)strtoul(entry->d_name, NULL, 10) };

		process.inner = process.pid ? inner_pid(process.pid) : 0;
		process.start = process.inner ? (uint32_t)trace_process_ticks(process.pid) : 0;
		if (process.start)
			add(process);
	}
	if (entries)
		closedir(entries);
	looked = true;
}

uint32_t trace_namespace_pid(uint32_t pid, uint32_t start, uint32_t after)
{
	uint32_t found = 0;

	pthread_mutex_lock(&lock);
	if (!looked || (start ? start >= when : !after))
		look();
	for (size_t i = 0; i < count && !found; i++) {
		const struct process *process = &processes[i];

		if (process->inner == pid && (!start || process->start == start) && process->pid > after &&
		    (uint32_t)trace_process_ticks(process->pid) == process->start)
			found = process->pid;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
