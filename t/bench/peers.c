/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others take to record a call, beside two reads of the clock in the same
 * rounds: one JSON line. Arguments: what it is called, and a file for
 * -DPRINT. With -DLTTNG a call is two events, its entry and its exit; with
 * neither, something from outside hooks the call through the PLT.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "times.h"

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peers_lttng.h"
#endif

enum { CALLS = 50000, ROUNDS = 41 };

int cuCtxGetCurrent(void **context);

static FILE *out;

static void call(void **context)
{
#if defined(LTTNG)
	int result;

	lttng_ust_tracepoint(cuaudit_bench, entry, (uintptr_t)context);
	result = cuCtxGetCurrent(context);
	lttng_ust_tracepoint(cuaudit_bench, leave, result, (uintptr_t)*context);
#elif defined(PRINT)
	uint64_t start = __builtin_ia32_rdtsc();
	int result = cuCtxGetCurrent(context);

	fprintf(out, "%llu cuCtxGetCurrent(%p) = %d <%llu>\n", (unsigned long long)start, *context,
		result, (unsigned long long)(__builtin_ia32_rdtsc() - start));
#else
	cuCtxGetCurrent(context);
#endif
}

static double time_calls(void)
{
	void *context = NULL;
	double start = now();

	for (int i = 0; i < CALLS; i++)
		call(&context);
	return (now() - start) / CALLS;
}

int main(int argc, char **argv)
{
	double a[ROUNDS], b[ROUNDS], r[ROUNDS];

	if (argc < 2)
		return 2;
	out = argc > 2 ? fopen(argv[2], "w") : stderr;
	if (!out)
		return 1;
	time_calls();
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_calls();
		b[i] = time_clocks(CALLS);
		r[i] = a[i] / b[i];
	}
	printf("{\"measure\":\"%s\",\"ns\":%.2f,\"two_clock_reads_ns\":%.2f,\"ratio\":%.3f}\n",
	       argv[1], median(a, ROUNDS), median(b, ROUNDS), median(r, ROUNDS));
	return 0;
}
