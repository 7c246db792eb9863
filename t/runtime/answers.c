/* SPDX-License-Identifier: Apache-2.0 */
/* What a shared runtime's functions answer, and one that is newer than any table. */
#include "t/runtime/runtime.h"

#include <stdio.h>

int cudaMemAdvise(const void *from, size_t size, int advice, int where);
int cudaNewerThanAll(int a, double b);

int main(void)
{
	struct dim3 grid = { 1, 2, 3 }, block = { 4, 5, 6 };
	void *pointer = NULL;
	int result = cudaMalloc(&pointer, 4096), size;

	printf("cudaMalloc %d %s\n", result, pointer ? "pointer" : "nothing");
	size = cudaLaunchKernel((void *)0x100, grid, block, (void **)0x200, 7, (void *)0x300);
	printf("cudaLaunchKernel %d\n", size);
	printf("cudaMemAdvise %d\n", cudaMemAdvise((void *)0x500, 1, 2, 3));
	printf("cudaNewerThanAll %d\n", cudaNewerThanAll(4, 2.5));
	return 0;
}
