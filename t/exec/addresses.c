/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver through addresses that relocations write: a table, and code
 * built with -fno-plt. As a library, LIBRARY; the program opens those it is given,
 * and prints how often all together called cuInit.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "t/fake/driver.h"

static int (*const volatile table[])(unsigned int flags) = { cuInit, cuInit };

/* 0, when both came to the driver. */
int addresses_call(void)
{
	int version;

	return table[0](0) | table[1](0) | cuDriverGetVersion(&version);
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	int failed = addresses_call();

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], i % 2 ? RTLD_NOW : RTLD_LAZY);
		int (*call)(void) = library ? (int (*)(void))dlsym(library, "addresses_call") : NULL;

		if (!call) {
			fprintf(stderr, "%s\n", dlerror());
			return 2;
		}
		failed |= call();
		dlclose(library);
	}
	printf("cuInit called %d times\n", cuaudit_fake_calls("cuInit"));
	return failed;
}
#endif
