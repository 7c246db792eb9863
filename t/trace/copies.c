/* SPDX-License-Identifier: Apache-2.0 */
/* With -DDRIVER a driver that does nothing; else a program that copies and launches by structures. */
#include <stddef.h>

typedef unsigned long long word;

struct copy_2d {
	word from_at[2];
	unsigned int from_type;
	const void *from[3];
	word from_pitch, to_at[2];
	unsigned int to_type;
	void *to[3];
	word to_pitch, width, height;
};

struct config {
	unsigned int grid[3], block[3], shared;
	void *stream, *attributes;
	unsigned int count;
};

#define CALL(name, parameters) int name parameters; BODY(name, parameters)
#ifdef DRIVER
#define BODY(name, parameters) __attribute__((visibility("default"))) int name parameters { return 0; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#else
#define BODY(name, parameters)
#endif

CALL(cuInit, (unsigned int flags))
CALL(cuLaunchKernelEx, (const struct config *config, void *function, void **params, void **extra))
CALL(cuMemcpy2D_v2, (const struct copy_2d *copy))
CALL(cuMemcpyBatchAsync_v2, (word *to, word *from, word *sizes, word count, void *attributes,
			     word *indices, word nattributes, void *stream))
CALL(cuMemcpyAsync, (word to, word from, word bytes, void *stream))

#ifdef DRIVER
int cuModuleGetFunction(void **function, void *module, const char *name);
__attribute__((visibility("default")))
int cuModuleGetFunction(void **function, void *module, const char *name)
{
	*function = (void *)64;
	return 0;
}
#else
int cuModuleGetFunction(void **function, void *module, const char *name);

int main(void)
{
	struct config config = { { 7, 6, 5 }, { 4, 3, 2 }, 99, (void *)8, NULL, 0 };
	struct copy_2d copy = { .from_type = 2, .to_type = 1, .width = 100, .height = 10 };
	word addresses[9] = { 1, 2, 3 }, sizes[9] = { 10, 20, 30 }, indices[1] = { 0 };
	char attributes[256] = "";
	void *function;

	if (cuInit(0) || cuModuleGetFunction(&function, NULL, "kernel") ||
	    cuLaunchKernelEx(&config, function, NULL, NULL) || cuMemcpy2D_v2(&copy) ||
	    cuMemcpyBatchAsync_v2(addresses, addresses, sizes, 3, attributes, indices, 1, NULL) ||
	    cuMemcpyBatchAsync_v2(addresses, addresses, sizes, 9, attributes, indices, 1, NULL) ||
	    cuMemcpyAsync(1, 2, 3, NULL))
		return 1;
	copy.from_type = 4;
	return cuMemcpy2D_v2(&copy);
}
#endif
