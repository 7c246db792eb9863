/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that never touches the driver pays to start: a small program
 * run in turn with the auditor named in argv[1] and without. One JSON line.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "times.h"

enum { ROUNDS = 401 };

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
	return (now() - start) / 1e6;
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
	       program, median(plain, ROUNDS), median(audited, ROUNDS), median(added, ROUNDS));
	return 0;
}
