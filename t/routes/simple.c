/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver it is linked to, as often as its argument says, and says
 * on descriptor 3 whether a core and an auditor are in the process.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t/fake/driver.h"

static bool mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	bool found = false;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, name) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0, failed = 0;
	unsigned long long pointer;
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");
	int (*alloc)(unsigned long long *, size_t) =
		(int (*)(unsigned long long *, size_t))dlsym(driver, "cuMemAlloc_v2");
	int (*calls_of)(const char *) =
		(int (*)(const char *))dlsym(driver, "cuaudit_fake_calls");

	if (init && alloc && calls_of) {
		for (int i = 0; i < calls; i++) {
			failed |= init(0);
			failed |= alloc(&pointer, 1);
		}
	}
	/* Before calls_of, which is routed like any function of the driver. */
	dprintf(3, "%s%s", mapped("/libcuaudit.so") ? "auditor " : "",
		mapped("/cuaudit-core.so") ? "core " : "");
	if (!init || !alloc || !calls_of) {
		dprintf(3, "no fake driver\n");
		return 2;
	}
	dprintf(3, "calls=%d\n", calls_of("cuInit"));
	return failed;
}
