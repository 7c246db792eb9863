/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast cuaudit makes other formats of a trace: TOOL FORMAT AT-LEAST RECORDS
 * OUTPUT FILE WHAT; AT-LEAST in millions a second of processor time, 0 for none.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 3 };

extern char **environ;

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Processor time of one conversion; what passed, and KiB it had at most. */
static double run(char **arguments, double *passed, long *memory)
{
	double start = now();
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) ||
	    wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "%s convert --to %s failed\n", arguments[0], arguments[3]);
		exit(1);
	}
	*passed = now() - start;
	*memory = usage.ru_maxrss;
	return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int main(int argc, char **argv)
{
	double least = 0, shortest = 0, records, passed;
	long memory = 0;

	if (argc != 8)
		return 2;
	records = atof(argv[4]) / 1e6;
	for (int i = 0; i < ROUNDS; i++) {
		char *arguments[] = { argv[1], "convert", "--to", argv[2], "--output", argv[5],
				      argv[6], NULL };
		double took = run(arguments, &passed, &memory);

		least = !i || took < least ? took : least;
		shortest = !i || passed < shortest ? passed : shortest;
	}
	printf("{\"measure\":\"convert to %s, %s\",\"records\":%s,\"millions_per_s\":%.2f,"
	       "\"millions_per_s_at_least\":%s,\"millions_per_s_passed\":%.2f,\"memory_mib\":%.0f}\n",
	       argv[2], argv[7], argv[4], records / least, argv[3], records / shortest,
	       (double)memory / 1024);
	return 0;
}
