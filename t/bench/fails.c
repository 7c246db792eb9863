/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a call that fails, whose error the simulated driver says in words: one JSON line,
 * beside the same call of the driver itself. Argument: what to call it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "times.h"

enum { CALLS = 5000, ROUNDS = 41 };

typedef int (*allocate_fn)(uint64_t *at, size_t size);

void *bench_raw(const char *name);
int cuInit(unsigned int flags);
int cuMemAlloc_v2(uint64_t *at, size_t size);

static double time_calls(allocate_fn allocate)
{
	double start = now();
	uint64_t at;

	for (int i = 0; i < CALLS; i++)
		if (!allocate(&at, 0))
			return 0;
	return (now() - start) / CALLS;
}

int main(int argc, char **argv)
{
	double plain_ns[ROUNDS], ns[ROUNDS], added[ROUNDS];
	allocate_fn plain = (allocate_fn)bench_raw("cuMemAlloc_v2");

	if (argc != 2 || !plain || cuInit(0) || plain == cuMemAlloc_v2) {
		fprintf(stderr, "cuMemAlloc_v2 is not intercepted\n");
		return 1;
	}
	time_calls(cuMemAlloc_v2);
	for (int i = 0; i < ROUNDS; i++) {
		plain_ns[i] = time_calls(plain);
		ns[i] = time_calls(cuMemAlloc_v2);
		added[i] = ns[i] - plain_ns[i];
	}
	printf("{\"measure\":\"a call that fails, %s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f}\n",
	       argv[1], median(plain_ns, ROUNDS), median(ns, ROUNDS), median(added, ROUNDS));
	return 0;
}
