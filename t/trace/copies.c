/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and launches by structures. */
#include <stddef.h>

#include "t/trace/driver.h"

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

int main(void)
{
	struct config config = { { 7, 6, 5 }, { 4, 3, 2 }, 99, (void *)8, NULL, 0 };
	struct copy_2d copy = { .from_type = 2, .to_type = 1, .width = 100, .height = 10 };
	word addresses[9] = { 1, 2, 3 }, sizes[9] = { 10, 20, 30 }, indices[1] = { 0 };
	char attributes[256] = "";
	void *function;

	trace_kernel = "kernel";
	if (cuInit(0) || cuModuleGetFunction(&function, NULL, "kernel") ||
	    cuLaunchKernelEx(&config, function, NULL, NULL) || cuMemcpy2D_v2(&copy) ||
	    cuMemcpyBatchAsync_v2(addresses, addresses, sizes, 3, attributes, indices, 1, NULL) ||
	    cuMemcpyBatchAsync_v2(addresses, addresses, sizes, 9, attributes, indices, 1, NULL) ||
	    cuMemcpyAsync(1, 2, 3, NULL))
		return 1;
	copy.from_type = 4;
	return cuMemcpy2D_v2(&copy);
}
