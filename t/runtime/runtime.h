/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime that behaves towards tools as a cudart does: libcudart.so.13, or linked into a library. */
#ifndef T_RUNTIME_RUNTIME_H
#define T_RUNTIME_RUNTIME_H

#include <stddef.h>

#ifdef LINKED
#define API __attribute__((visibility("hidden")))
#else
#define API __attribute__((visibility("default")))
#endif

struct dim3 {
	unsigned int x, y, z;
};

API int cudaMalloc(void **pointer, size_t size);
API int cudaFree(void *pointer);
API int cudaGetDevice(int *device);
API const char *cudaGetErrorString(int error);
API int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
			 size_t memory, void *stream);

/* Calls the function in between, as it is the driver's. */
API int cudaStreamAddCallback(void *stream, void (*function)(void *), void *data, unsigned int flags);

/* Numbers that no table has, or that are another function's; a report of another size. */
API int runtime_newer(void);
API int runtime_renumbered(void);
API int runtime_larger(void);

/* In liblinked.so: calls of the runtime in it; the second one by a jump, as compilers make of it. */
__attribute__((visibility("default"))) int linked_malloc(void **pointer, size_t size);
__attribute__((visibility("default"))) int linked_jump(void **pointer, size_t size);

#endif
