/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a call of a runtime that is reported by the driver's table for tools, as a cudart's
 * are, with no driver call inside and with one: a JSON line each, beside the same calls of the
 * driver itself that nobody reports. Argument: what to call it.
 */
#include <stdio.h>

#include "t/fake/tools.h"
#include "times.h"

enum { CALLS = 100000, ROUNDS = 41, GET_DEVICE = 17 };

typedef int (*current_fn)(void **context);

void *bench_raw(const char *name);
int cuGetExportTable(const void **table, const unsigned char *uuid);
int cuCtxGetCurrent(void **context);

static const struct tools_table *table;
static const uint32_t *flags, none[TOOLS_FLAGS];

/* What a runtime has in its frame. */
struct call {
	struct tools_report report;
	uint64_t correlation;
	int32_t status;
};

static int get_device(const uint32_t *wanted, current_fn current, int *device)
{
	struct call call;
	void *context;

	call.report.size = wanted[GET_DEVICE] ? sizeof(call.report) : 0;
	if (call.report.size) {
		call.report.correlation = &call.correlation;
		call.report.status = &call.status;
		call.report.name = "cudaGetDevice";
		call.report.params = &device;
		call.report.callback = GET_DEVICE;
		call.report.site = TOOLS_ENTER;
		table->report(GET_DEVICE, &call.report);
	}
	call.status = current ? current(&context) : 0;
	*device = 0;
	if (call.report.size) {
		call.report.site = TOOLS_EXIT;
		table->report(GET_DEVICE, &call.report);
	}
	return call.status;
}

static int (*volatile get)(const uint32_t *wanted, current_fn current, int *device) = get_device;

static double time_calls(const uint32_t *wanted, current_fn current)
{
	double start = now();
	int device;

	for (int i = 0; i < CALLS; i++)
		get(wanted, current, &device);
	return (now() - start) / CALLS;
}

static void measure(const char *what, const char *name, current_fn raw, current_fn current)
{
	double plain_ns[ROUNDS], ns[ROUNDS], added[ROUNDS], ratio[ROUNDS];

	time_calls(flags, current);
	for (int i = 0; i < ROUNDS; i++) {
		plain_ns[i] = time_calls(none, raw);
		ns[i] = time_calls(flags, current);
		added[i] = ns[i] - plain_ns[i];
		ratio[i] = ns[i] / plain_ns[i];
	}
	printf("{\"measure\":\"%s, %s\",\"plain_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f,"
	       "\"ratio\":%.2f}\n", what, name, median(plain_ns, ROUNDS), median(ns, ROUNDS),
	       median(added, ROUNDS), median(ratio, ROUNDS));
}

int main(int argc, char **argv)
{
	current_fn raw = (current_fn)bench_raw("cuCtxGetCurrent");
	uint32_t *given = NULL;
	size_t count = 0;
	void *context;

	if (argc != 2 || !raw || cuGetExportTable((const void **)&table, tools_uuid) || cuCtxGetCurrent(&context) < 0)
		return 1;
	table->ask(&given, &count);
	flags = given;
	if (!flags || !flags[GET_DEVICE]) {
		fprintf(stderr, "the runtime's calls are not wanted\n");
		return 1;
	}
	measure("a call of the runtime", argv[1], NULL, NULL);
	measure("a call of the runtime and the driver's inside", argv[1], raw, cuCtxGetCurrent);
	return 0;
}
