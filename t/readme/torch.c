/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls the driver for t/readme/run's train.py; its app with train called main. */
#include <dlfcn.h>
#include <stddef.h>

int train(void);

int train(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = dlsym(driver, "cuInit");
	int (*retain)(void **, int) = dlsym(driver, "cuDevicePrimaryCtxRetain");
	int (*set)(void *) = dlsym(driver, "cuCtxSetCurrent");
	int (*alloc)(void **, size_t) = dlsym(driver, "cuMemAlloc_v2");
	int (*release)(void *) = dlsym(driver, "cuMemFree_v2");
	void *context, *memory;

	if (init(0) || retain(&context, 0) || set(context))
		return 1;
	for (int i = 0; i < 100; i++)
		if (alloc(&memory, 4096) || release(memory))
			return 2;
	return 0;
}
