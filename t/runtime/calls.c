/* SPDX-License-Identifier: Apache-2.0 */
/* Some calls of two runtimes, in a known order. */
#include "t/runtime/runtime.h"

int main(void)
{
	struct dim3 grid = { 1, 2, 3 }, block = { 4, 5, 6 };
	void *pointer;
	int device;

	cudaMalloc(&pointer, 4096);
	cudaFree((void *)0x1234);
	cudaGetDevice(&device);
	cudaGetErrorString(2);
	cudaLaunchKernel((void *)0x100, grid, block, (void **)0x200, 7, (void *)0x300);
	linked_malloc(&pointer, 0);
	linked_malloc(&pointer, 8192);
	return 0;
}
