/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With SWAPPED, a library that calls; else a program that has the libraries it
 * is given call one after the other, and says where each of them did.
 */
#include <dlfcn.h>
#include <stdio.h>

enum { CALLS = 5 };

#ifdef SWAPPED

int call(int (*version)(int *version));

int call(int (*version)(int *version))
{
	int failed = 0, unused;

	for (int i = 0; i < CALLS; i++)
		failed |= version(&unused);
	return failed;
}

#else

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*version)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;

	if (!version)
		return 2;
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*call)(int (*)(int *));

		call = library ? (int (*)(int (*)(int *)))dlsym(library, "call") : NULL;
		if (!call || call(version))
			return 3;
		printf("%p\n", (void *)call);
		dlclose(library);
	}
	return 0;
}

#endif
