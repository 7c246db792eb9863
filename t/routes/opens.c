/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the auditor as a library of its own, then the driver. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *auditor = dlopen(argv[1], RTLD_NOW);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	return argc != 2 || !auditor || !init || init(0);
}
