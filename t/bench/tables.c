/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a call through an export table of the simulated driver: one JSON line, beside
 * the same call of what the table had before it was written to. Argument: what to call it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

enum { CALLS = 200000, ROUNDS = 41, SLOT = 6 };

typedef int (*call_fn)(void);
typedef int (*ask_fn)(const void **table, const unsigned char *uuid);

void *bench_raw(const char *name);
int cuGetExportTable(const void **table, const unsigned char *uuid);

static double time_calls(const volatile call_fn *call)
{
	double start = now();

	for (int i = 0; i < CALLS; i++)
		(*call)();
	return (now() - start) / CALLS;
}

int main(int argc, char **argv)
{
	static const unsigned char uuid[16] = { 0xca, 0xfe, 0, 1 };
	double plain_ns[ROUNDS], ns[ROUNDS], added[ROUNDS], ratio[ROUNDS];
	ask_fn ask = (ask_fn)bench_raw("cuGetExportTable");
	const void *table = NULL;
	const volatile call_fn *slot;
	volatile call_fn plain;

	/* Who is excluded is handed the table as it is. */
	if (argc != 2 || !ask || ask(&table, uuid))
		return 1;
	slot = (const volatile call_fn *)table + SLOT;
	plain = *slot;
	if (cuGetExportTable(&table, uuid) || plain == *slot) {
		fprintf(stderr, "the table is not hooked\n");
		return 1;
	}
	time_calls(slot);
	for (int i = 0; i < ROUNDS; i++) {
		plain_ns[i] = time_calls(&plain);
		ns[i] = time_calls(slot);
		added[i] = ns[i] - plain_ns[i];
		ratio[i] = ns[i] / plain_ns[i];
	}
	printf("{\"measure\":\"an export table's slot, %s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"ratio\":%.2f}\n", argv[1], median(plain_ns, ROUNDS), median(ns, ROUNDS),
	       median(added, ROUNDS), median(ratio, ROUNDS));
	return 0;
}
