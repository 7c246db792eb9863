/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills a number of chunks, and lets whoever makes them ready do so in
 * between: waits until the thread "cuaudit-trace" sleeps. Prints how many page
 * faults the calls took, or "alone" if there is no such thread.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STEPS = 400, CALLS = 1000 };

static char path[300];

/* 0 if it is not there; -1 if a thread is there that is not it, or not called so yet. */
static int find_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	char name[32] = "";
	int others = -1;

	while (tasks && (entry = readdir(tasks))) {
		FILE *file;

		others += entry->d_name[0] != '.';
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
		if (!strcmp(name, "cuaudit-trace\n")) {
			snprintf(path, sizeof(path), "/proc/self/task/%s/stat", entry->d_name);
			break;
		}
	}
	if (tasks)
		closedir(tasks);
	if (!strcmp(name, "cuaudit-trace\n"))
		return 1;
	return others ? -1 : 0;
}

static char state(void)
{
	FILE *file = fopen(path, "r");
	char state = '?';

	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(3);
	fclose(file);
	return state;
}

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	int (*version)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
	struct rusage before, after;
	int found, unused;
	long faults = 0;

	if (!init || init(0))
		return 2;
	while ((found = find_thread()) < 0)
		;
	if (!found) {
		puts("alone");
		return 0;
	}
	for (int step = 0; step < STEPS; step++) {
		getrusage(RUSAGE_THREAD, &before);
		for (int i = 0; i < CALLS; i++)
			version(&unused);
		getrusage(RUSAGE_THREAD, &after);
		faults += after.ru_minflt - before.ru_minflt;
		while (state() != 'S')
			;
	}
	printf("%ld\n", faults);
	return 0;
}
