/* SPDX-License-Identifier: Apache-2.0 */
/* Calls some functions; the arguments name those whose calls hooks must see. */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

static void nothing(void *data)
{
	(void)data;
}

int main(int argc, char **argv)
{
	static const char *const called[] = {
		"cuInit", "cuMemAlloc_v2", "cuStreamQuery", "cuLaunchHostFunc", "cuNewReal",
		"cuGetProcAddress_v2",
	};
	unsigned long long pointer;
	void *answer = NULL;

	observe_start(RTLD_DEFAULT);
	cuInit(0);
	cuMemAlloc_v2(&pointer, 1);
	cuStreamQuery(NULL);
	cuLaunchHostFunc(NULL, nothing, NULL);
	cuNewReal(1);
	cuGetProcAddress_v2("cuInit", &answer, 13000, 0, NULL);
	is_ptr(answer, (void *)cuInit, "cuGetProcAddress is routed in any case");
	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		int want = 0;

		for (int arg = 1; arg < argc; arg++)
			want |= !strcmp(argv[arg], called[i]);
		is_int(cuaudit_fake_calls(called[i]), 1, "%s arrived", called[i]);
		if (observe_routed())
			is_int(observe_enters(called[i]), want, "%s: seen", called[i]);
	}
	return done_testing();
}
