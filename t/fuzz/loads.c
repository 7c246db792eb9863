/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a library and calls one of its functions, DRIVER LIBRARY FUNCTION;
 * the driver is loaded first. Says how far it came. Before that it does what
 * the core does to the same objects: asks the driver's version, and loads a
 * library while they are there.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *driver = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void *library = driver ? dlopen(argv[2], RTLD_NOW) : NULL;
	void *other = dlopen("libm.so.6", RTLD_NOW);
	int (*ask)(int *) = NULL, (*function)(unsigned int) = NULL;
	int version = 0;

	if (driver)
		ask = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	if (library)
		function = (int (*)(unsigned int))dlsym(library, argv[3]);
	printf("driver %d library %d function %d other %d", driver != NULL, library != NULL,
	       function != NULL, other != NULL);
	fflush(stdout);
	if (ask)
		printf(" asked %d", ask(&version));
	fflush(stdout);
	if (function)
		printf(" answer %d", function(0));
	printf(" version %d\n", version);
	return 0;
}
