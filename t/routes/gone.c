/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to another directory before its first driver call. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int (*init)(unsigned int), (*create)(void **, unsigned int, int), (*allocate)(void **, size_t);
	void *driver, *made;

	if (argc < 2 || chdir(argv[1]) || !(driver = dlopen("libcuda.so.1", RTLD_NOW)))
		return 99;
	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	create = (int (*)(void **, unsigned int, int))dlsym(driver, "cuCtxCreate_v2");
	allocate = (int (*)(void **, size_t))dlsym(driver, "cuMemAlloc_v2");
	return init(0) || create(&made, 0, 0) || allocate(&made, 512);
}
