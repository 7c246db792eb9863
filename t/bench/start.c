/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that never touches the driver pays to start: a small program
 * run in turn with the auditor named in argv[1] and without. One JSON line.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 401 };

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static double run(const char *program, char **environment)
{
	char *arguments[] = { (char *)program, NULL };
	double start = now();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, arguments, environment) ||
	    waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "%s does not run\n", program);
		exit(1);
	}
	return now() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	char auditor[4096], *without[] = { NULL }, *with[] = { auditor, NULL };
	const char *program = argc > 2 ? argv[2] : "/bin/true";
	double plain[ROUNDS], audited[ROUNDS], added[ROUNDS];

	if (argc < 2)
		return 2;
	snprintf(auditor, sizeof(auditor), "LD_AUDIT=%s", argv[1]);
	for (int i = 0; i < ROUNDS; i++) {
		plain[i] = run(program, without);
		audited[i] = run(program, with);
		added[i] = audited[i] - plain[i];
	}
	printf("{\"measure\":\"process start\",\"program\":\"%s\",\"plain_ms\":%.3f,\"ms\":%.3f,"
	       "\"added_ms\":%.3f,\"added_at_most_ms\":0.15}\n",
	       program, median(plain), median(audited), median(added));
	return 0;
}
