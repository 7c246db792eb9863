/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program linked to the driver and to a library that is. Arguments: the
 * routes of calls, of addresses and of the library's calls ("plt" or
 * "relocation"), and whether the program holds functions' official addresses
 * in its own PLT ("canonical").
 */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"
#include "t/routes/library.h"

/* Bound before main. */
static int (*volatile const table[])(void **) = { cuCtxGetCurrent };

static enum cuaudit_route route_of(const char *name)
{
	return strcmp(name, "plt") ? CUAUDIT_ROUTE_RELOCATION : CUAUDIT_ROUTE_PLT;
}

static void calls(enum cuaudit_route calls_by)
{
	unsigned long long pointer;

	is_int(cuMemAlloc_v2(&pointer, 42), 0, "a call");
	is_int(cuMemAlloc_v2(&pointer, 43), 0, "and once more");
	is_int((long long)pointer, 43, "its answer");
	is_int(cuaudit_fake_calls("cuMemAlloc_v2"), 2, "calls arrived");
	seen("cuMemAlloc_v2", 2, NULL);
	bound_by("cuMemAlloc_v2", calls_by, 1);
}

static void addresses(enum cuaudit_route by, bool canonical)
{
	int (*volatile query)(void *) = cuStreamQuery;
	void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY), *answer = NULL, *context;
	int both = observe_told(by, false) ? 2 : 0;

	/* By address: the library's, the program's. */
	ok(query == library_address(), "the library's address is the program's");
	is_ptr(dlsym(RTLD_DEFAULT, "cuStreamQuery"), (void *)query, "so is RTLD_DEFAULT's");
	cuGetProcAddress_v2("cuStreamQuery", &answer, 13000, 0, NULL);
	ok((answer == (void *)query) != canonical, "cuGetProcAddress's, but of a canonical PLT");
	is_ptr(dlsym(driver, "cuStreamQuery"), answer, "the driver's handle has the same");
	is_int(query((void *)1), 600, "a call by address");
	is_int(cuaudit_fake_calls("cuStreamQuery"), 1, "arrived");
	seen("cuStreamQuery", 1, NULL);
	if (observe_routed() && !canonical)
		is_int((long long)observe_bound("cuStreamQuery", by), both,
		       "bound for the program and for the library");

	is_int(table[0](&context), 0, "a call by the static table");
	is_int(cuaudit_fake_calls("cuCtxGetCurrent"), 1, "arrived");
	seen("cuCtxGetCurrent", 1, NULL);
	if (observe_routed() && !canonical)
		is_int((long long)observe_bound("cuCtxGetCurrent", by), both,
		       "bound for the program and for the library");
	is_int(library_by_table(), 0, "a call by the library's table");
	if (observe_routed())
		is_int(observe_from("cuCtxGetCurrent", "libcaller.so"), 1,
		       "called by the library");
}

int main(int argc, char **argv)
{
	bool canonical = argc > 4 && !strcmp(argv[4], "canonical");

	if (argc < 4)
		return 2;
	observe_start(RTLD_DEFAULT);
	calls(route_of(argv[1]));
	addresses(route_of(argv[2]), canonical);
	is_int(library_init(), 0, "a call of the library");
	is_int(cuaudit_fake_calls("cuInit"), 1, "arrived");
	seen("cuInit", 1, "libcaller.so");
	bound_by("cuInit", route_of(argv[3]), 1);
	return done_testing();
}
