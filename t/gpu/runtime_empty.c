/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For runtime.sh, by LD_PRELOAD: runtimes report each call to a function that does nothing, in the driver's table
 * for tools. What it costs is the runtime's own part of what a tool's callback does. With RUNTIME_COUNTS set it
 * counts calls by function, thread and error, and knows neither the caller nor what a call is inside of: the
 * least that any tool could do.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "t/fake/tools.h"

static void nothing(uint64_t callback, struct tools_report *report)
{
	(void)callback;
	(void)report;
}

static _Thread_local struct {
	uint64_t calls, errors;
} counts[TOOLS_FLAGS];

static void count_call(uint64_t callback, struct tools_report *report)
{
	if (callback >= TOOLS_FLAGS)
		return;
	if (report->site == TOOLS_ENTER)
		counts[callback].calls++;
	else if (*report->status)
		counts[callback].errors++;
}

static int make_writable(const void *from, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)from & -page;

	return mprotect((void *)start, (uintptr_t)from + size - start, PROT_READ | PROT_WRITE);
}

static __attribute__((constructor)) void take(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	int (*get)(const void **, const unsigned char *) =
		driver ? (int (*)(const void **, const unsigned char *))dlsym(driver, "cuGetExportTable") : NULL;
	struct tools_table *table;
	uint32_t *flags = NULL;
	size_t count = 0;

	if (init && get && !init(0) && !get((const void **)&table, tools_uuid))
		table->ask(&flags, &count);
	if (!flags || count != TOOLS_FLAGS || make_writable(table, sizeof(*table)) ||
	    make_writable(flags, count * sizeof(*flags))) {
		fprintf(stderr, "runtime_empty: the driver has no such table\n");
		exit(1);
	}
	table->report = getenv("RUNTIME_COUNTS") ? count_call : nothing;
	for (size_t i = 0; i < count; i++)
		flags[i] = 1;
}
