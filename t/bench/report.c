/* SPDX-License-Identifier: Apache-2.0 */
/* How fast traces are added up: FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/summary.h"
#include "tracefile/tracefile.h"

enum { ROUNDS = 7, AT_LEAST = 20, WINDOW = 256 << 10 };

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void stop(const char *what)
{
	fprintf(stderr, "report: %s\n", what);
	exit(1);
}

/* Every record read, and nothing done with it. */
static uint64_t walk(const char *path)
{
	static uint64_t window[WINDOW / 8];
	struct trace_walk walk;
	struct trace_call call;
	struct trace trace;

	if (trace_open(&trace, path))
		stop("no trace");
	trace_walk_begin(&walk, &trace, window, sizeof(window));
	for (size_t i = 0; i < trace.nchunks; i++) {
		trace_walk_chunk(&walk, i);
		while (trace_walk_next(&walk, &call))
			;
	}
	trace_close(&trace);
	return walk.calls;
}

static void add_up(char *path, size_t jobs)
{
	const struct summary_options options = { .threads = 16, .points = 240, .jobs = jobs };
	struct summary summary;

	if (summary_build(&summary, &path, 1, &options) || summary.faults)
		stop("no summary");
	summary_free(&summary);
}

static void least(double *value, double measured)
{
	if (!*value || measured < *value)
		*value = measured;
}

/* Processor time for the one, and what passes for all of them. */
static void measure(char *path)
{
	double walked = 0, alone = 0, one = 0, all = 0, start;
	uint64_t records = walk(path);

	for (int i = 0; i < ROUNDS; i++) {
		start = now(CLOCK_PROCESS_CPUTIME_ID);
		walk(path);
		least(&walked, now(CLOCK_PROCESS_CPUTIME_ID) - start);
		start = now(CLOCK_PROCESS_CPUTIME_ID);
		add_up(path, 1);
		least(&alone, now(CLOCK_PROCESS_CPUTIME_ID) - start);
		start = now(CLOCK_MONOTONIC);
		add_up(path, 1);
		least(&one, now(CLOCK_MONOTONIC) - start);
		start = now(CLOCK_MONOTONIC);
		add_up(path, 0);
		least(&all, now(CLOCK_MONOTONIC) - start);
	}
	printf("{\"measure\":\"report of %s\",\"records\":%llu,\"walked_millions_per_s\":%.1f,"
	       "\"millions_per_s\":%.1f,\"millions_per_s_at_least\":%d,"
	       "\"times_as_fast_on_all_processors\":%.2f}\n",
	       path, (unsigned long long)records, (double)records / walked / 1e6,
	       (double)records / alone / 1e6, AT_LEAST, one / all);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return argc < 2;
}
