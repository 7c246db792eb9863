/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call through a lazily bound PLT costs a process with the auditor
 * named in argv[1], and one without, run in turn. One JSON line, of the measure
 * argv[2] and at most argv[3] times as much.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, ROUNDS = 200, CALLS = 20000 };

long bench_next(long number);

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static double call_ns(void)
{
	double least = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), took;
		long number = 0;

		for (int i = 0; i < CALLS; i++)
			number = bench_next(number);
		took = (now() - start) / CALLS;
		if (number == CALLS && took < least)
			least = took;
	}
	return least;
}

static double run(const char *program, const char *auditor)
{
	char command[8192];
	double ns = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "LD_AUDIT='%s' '%s'", auditor, program);
	pipe = popen(command, "r");
	if (!pipe || fscanf(pipe, "%lf", &ns) != 1 || pclose(pipe)) {
		fprintf(stderr, "%s does not run\n", program);
		exit(1);
	}
	return ns;
}

int main(int argc, char **argv)
{
	double plain = 1e9, audited = 1e9;

	if (argc != 4) {
		printf("%.3f\n", call_ns());
		return 0;
	}
	for (int i = 0; i < RUNS; i++) {
		double without = run(argv[0], ""), with = run(argv[0], argv[1]);

		plain = without < plain ? without : plain;
		audited = with < audited ? with : audited;
	}
	printf("{\"measure\":\"%s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"ratio\":%.2f,"
	       "\"ratio_at_most\":%s}\n", argv[2], plain, audited, audited / plain, argv[3]);
	return 0;
}
