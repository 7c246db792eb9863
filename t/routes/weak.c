/* SPDX-License-Identifier: Apache-2.0 */
/* A library with weak references to a driver that may not be there, "absent" or "present". */
#include <dlfcn.h>

#include "t/tap.h"

extern int cuInit(unsigned int flags) __attribute__((weak));
extern int cuStreamQuery(void *stream) __attribute__((weak));

static int (*volatile const table[])(void *) = { cuStreamQuery };

int weak_main(int argc, char **argv);

int weak_main(int argc, char **argv)
{
	bool present = argc > 1 && !strcmp(argv[1], "present");

	is_int(cuInit != NULL, present, "the function");
	is_int(table[0] != NULL, present, "the table");
	if (present) {
		is_int(cuInit(0), 0, "a call");
		is_ptr((void *)cuInit, dlsym(RTLD_DEFAULT, "cuInit"), "by its address");
	}
	return done_testing();
}
