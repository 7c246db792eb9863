/* SPDX-License-Identifier: Apache-2.0 */
/* Opens as many files as it may. */
#include <dlfcn.h>
#include <fcntl.h>

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	init(0);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	return 0;
}
