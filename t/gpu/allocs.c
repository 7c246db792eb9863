/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates COUNT times BYTES by the driver and prints the results, then how
 * many milliseconds cuStreamSynchronize took. Finds the driver by dlopen.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*init_fn)(unsigned int flags);
typedef int (*device_fn)(int *device, int ordinal);
typedef int (*retain_fn)(void **context, int device);
typedef int (*pointer_fn)(void *handle);
typedef int (*alloc_fn)(unsigned long long *pointer, size_t bytes);

static void *driver;

static void *find(const char *name)
{
	void *function = dlsym(driver, name);

	if (function)
		return function;
	fprintf(stderr, "no %s\n", name);
	exit(1);
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 5, device, result;
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1 << 20;
	unsigned long long pointer;
	pointer_fn synchronize;
	void *context;
	double start;

	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	synchronize = (pointer_fn)find("cuStreamSynchronize");
	if (((init_fn)find("cuInit"))(0) || ((device_fn)find("cuDeviceGet"))(&device, 0) ||
	    ((retain_fn)find("cuDevicePrimaryCtxRetain"))(&context, device) ||
	    ((pointer_fn)find("cuCtxSetCurrent"))(context)) {
		fprintf(stderr, "no device\n");
		return 1;
	}
	while (count--)
		printf("%d ", ((alloc_fn)find("cuMemAlloc_v2"))(&pointer, bytes));
	synchronize(NULL);
	start = now();
	result = synchronize(NULL);
	printf("synchronized %d %.0f\n", result, now() - start);
	return 0;
}
