/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime that behaves towards tools as a cudart does. */
#include "t/runtime/runtime.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "t/fake/driver.h"
#include "t/fake/tools.h"

static const struct tools_table *table;
static const uint32_t *flags;

/* Once; a test's first call is made by one thread. */
static void start(void)
{
	static const unsigned char first_uuid[16] = {
		0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9
	};
	static int started;
	const void *first;
	uint32_t *given = NULL;
	size_t count = 0;

	if (started)
		return;
	started = 1;
	cuInit(0);
	/* As with a driver that has not all that it wants. */
	if (getenv("RUNTIME_FAILS")) {
		cuGetExportTable(&first, first_uuid);
		return;
	}
	if (cuGetExportTable((const void **)&table, tools_uuid) || !table)
		return;
	table->ask(&given, &count);
	flags = given;
}

/* A call that a tool wants to know of. */
struct call {
	struct tools_report report;
	uint64_t correlation;
	int32_t status;
};

static void enter(struct call *call, uint32_t callback, const char *name, const void *params)
{
	start();
	/* What they do not set is as it was, before 12.9. */
	memset(&call->report, 0xa5, sizeof(call->report));
	call->report.size = flags && flags[callback] ? sizeof(call->report) : 0;
	if (!call->report.size)
		return;
	call->report.correlation = &call->correlation;
	call->report.status = &call->status;
	call->report.name = name;
	call->report.params = params;
	call->report.callback = callback;
	call->report.site = TOOLS_ENTER;
	table->begin();
	table->report(callback, &call->report);
}

static int leave(struct call *call, int status)
{
	call->status = status;
	if (call->report.size) {
		call->report.site = TOOLS_EXIT;
		table->begin();
		table->report(call->report.callback, &call->report);
	}
	return call->status;
}

int cudaMalloc(void **pointer, size_t size)
{
	struct {
		void **pointer;
		size_t size;
	} params = { pointer, size };
	struct call call;
	unsigned long long at = 0;
	int status;

	enter(&call, 20, "cudaMalloc", &params);
	status = size ? cuMemAlloc_v2(&at, size) : 2;
	*pointer = (void *)at;
	return leave(&call, status);
}

int cudaFree(void *pointer)
{
	struct call call;

	enter(&call, 22, "cudaFree", &pointer);
	return leave(&call, 0);
}

int cudaGetDevice(int *device)
{
	struct call call;

	enter(&call, 17, "cudaGetDevice", &device);
	*device = 0;
	return leave(&call, 0);
}

const char *cudaGetErrorString(int error)
{
	struct call call;

	enter(&call, 12, "cudaGetErrorString", &error);
	leave(&call, 7);
	return "text";
}

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
		     size_t memory, void *stream)
{
	struct {
		const void *function;
		struct dim3 grid, block;
		void **args;
		size_t memory;
		void *stream;
	} params = { function, grid, block, args, memory, stream };
	struct call call;

	enter(&call, 211, "cudaLaunchKernel", &params);
	cuStreamQuery(stream);
	return leave(&call, 0);
}

int cudaStreamAddCallback(void *stream, void (*function)(void *), void *data, unsigned int what)
{
	struct {
		void *stream;
		void (*function)(void *);
		void *data;
		unsigned int flags;
	} params = { stream, function, data, what };
	struct call call;

	enter(&call, 197, "cudaStreamAddCallback", &params);
	if (what)
		function(data);
	else
		cuLaunchHostFunc(stream, function, data);
	return leave(&call, 0);
}

int runtime_newer(void)
{
	struct call call;

	enter(&call, 1000, "cudaNewerThanAll", NULL);
	return leave(&call, 0);
}

int runtime_renumbered(void)
{
	struct call call;

	enter(&call, 22, "cudaMalloc", NULL);
	return leave(&call, 0);
}

int runtime_larger(void)
{
	struct call call;

	start();
	call.report = (struct tools_report){ .size = sizeof(call.report) + 8, .callback = 22, .name = "cudaFree" };
	if (flags && flags[22])
		table->report(22, &call.report);
	return 0;
}
