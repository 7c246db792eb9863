/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a namespace, and then a library; which address that has of the driver's. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *other = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW), *library, *driver;
	void *(*address)(void), *(*own)(const char *);

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	if (!other || !library || !driver)
		return 2;
	address = (void *(*)(void))dlsym(library, "library_address");
	own = (void *(*)(const char *))dlsym(driver, "cuaudit_fake_address");
	puts(address() == own("cuStreamQuery") ? "the driver's own" : "a stub");
	return 0;
}
