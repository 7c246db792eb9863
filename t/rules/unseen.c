/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the driver loaded, and calls none of its functions until another process has read from files
 * so often that it has looked at this one several times, TIMES of them. usage: unseen PID [init|no [TIMES]]
 */
#include <cuaudit/cuda_types.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 400 };

CUresult cuInit(unsigned int flags);

/* How often it has read; -1: it is not there, or does not tell. */
static long reads_of(const char *pid)
{
	char path[64], line[256];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/io", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "syscr:", 6))
			count = strtol(line + 6, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	long first, now, times = argc > 3 ? strtol(argv[3], NULL, 10) : TIMES;

	if (argc < 2 || (first = reads_of(argv[1])) < 0)
		return 99;
	do {
		sched_yield();
		now = reads_of(argv[1]);
	} while (now >= 0 && now < first + times);
	return argc > 2 && !strcmp(argv[2], "init") ? (int)cuInit(0) : 0;
}
