/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has a library patch a function of the driver: WHERE it is found ("dlsym" by
 * the library, "own" in the driver's code), HOW ("back", "copy") and whether
 * before or after it was called first ("early", "late").
 */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/hostile/patcher.h"
#include "t/routes/checks.h"

static void call(unsigned long long size, int more)
{
	int (*found)(unsigned long long *, size_t) = (int (*)(unsigned long long *, size_t))
		dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
	unsigned long long pointer = 0;

	is_int(cuMemAlloc_v2(&pointer, size), 0, "a call of %llu", size);
	is_int((long long)pointer, (long long)size + more, "its answer");
	is_int(found(&pointer, size), 0, "a call by dlsym's address");
	is_int((long long)pointer, (long long)size + more, "its answer");
}

int main(int argc, char **argv)
{
	bool late = argc > 3 && !strcmp(argv[3], "late");
	void *context, *function;

	if (argc < 4)
		return 2;
	function = !strcmp(argv[1], "own") ? cuaudit_fake_address("cuMemAlloc")
					   : patcher_look_up("cuMemAlloc_v2");
	if (late) {
		observe_start(RTLD_DEFAULT);
		call(100, 0);
	}
	if (patcher_patch(function, !strcmp(argv[2], "copy"))) {
		/* A stub begins as stubs do, the driver as its compiler likes. */
		if (function != cuaudit_fake_address("cuMemAlloc"))
			bail_out("a stub cannot be patched");
		diag("the driver's code cannot be patched");
		return 0;
	}
	if (!late)
		observe_start(RTLD_DEFAULT);
	call(200, 1);
	is_int(patcher_calls(), 2, "the patch is called once a call");
	is_int(cuaudit_fake_calls("cuMemAlloc_v2"), late ? 4 : 2, "each call arrives once");
	if (observe_routed()) {
		is_int(observe_enters("cuMemAlloc_v2"), late ? 4 : 2, "is entered once");
		is_int(observe_exits("cuMemAlloc_v2"), late ? 4 : 2, "is left once");
	}
	is_int(cuInit(0), 0, "another function");
	is_int(cuCtxGetCurrent(&context), 0, "a third");
	is_int(cuStreamQuery((void *)1), 600, "a fourth");
	seen("cuInit", 1, NULL);
	seen("cuCtxGetCurrent", 1, NULL);
	seen("cuStreamQuery", 1, NULL);
	return done_testing();
}
