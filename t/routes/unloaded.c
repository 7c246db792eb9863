/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that call the driver and are closed, others taking their place in memory. */
#include <dlfcn.h>

#include "t/routes/checks.h"

enum { ROUNDS = 50 };

static void *call_from(const char *name)
{
	void *library = dlopen(name, RTLD_NOW);
	int (*init)(void) = library ? (int (*)(void))dlsym(library, "library_init") : NULL;

	if (!init)
		bail_out("%s", dlerror());
	init();
	dlclose(library);
	return (void *)init;
}

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int same = 0;

	observe_start(driver);
	for (int i = 0; i < ROUNDS; i++)
		same += call_from("libcaller.so") == call_from("libsecond.so");
	diag("%d times in the same place", same);
	ok(same, "they took each other's place");
	if (observe_routed()) {
		is_int(observe_enters("cuInit"), 2 * ROUNDS, "every call was seen");
		is_int(observe_from("cuInit", "libcaller.so"), ROUNDS, "half are the first's");
		is_int(observe_from("cuInit", "libsecond.so"), ROUNDS, "half the second's");
	}
	return done_testing();
}
