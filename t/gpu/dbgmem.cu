/* SPDX-License-Identifier: Apache-2.0 */
/* Gives memory of one kind to memcpy: device, inside, managed, pinned, registered, freed, freed-pool. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char here[4096];
static volatile size_t size = sizeof(here);

static void check(cudaError_t error)
{
	if (!error)
		return;
	printf("CUDA: %s\n", cudaGetErrorString(error));
	exit(9);
}

static void copy(const void *from)
{
	memcpy(here, from, size);
	printf("came through, first byte %d\n", here[0]);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char *memory;

	if (!strcmp(what, "managed")) {
		check(cudaMallocManaged(&memory, 1 << 20));
		check(cudaMemset(memory, 7, 1 << 20));
		check(cudaDeviceSynchronize());
	} else if (!strcmp(what, "pinned")) {
		check(cudaMallocHost(&memory, 1 << 20));
		memset(memory, 7, 1 << 20);
	} else if (!strcmp(what, "registered")) {
		memory = (char *)aligned_alloc(4096, 1 << 20);
		memset(memory, 7, 1 << 20);
		check(cudaHostRegister(memory, 1 << 20, 0));
	} else if (!strcmp(what, "freed-pool")) {
		check(cudaMallocAsync(&memory, 4 << 20, 0));
		check(cudaFreeAsync(memory, 0));
		check(cudaStreamSynchronize(0));
	} else {
		check(cudaMalloc(&memory, 4 << 20));
		check(cudaMemset(memory, 7, 4 << 20));
		if (!strcmp(what, "freed"))
			check(cudaFree(memory));
		if (!strcmp(what, "inside"))
			memory += (4 << 20) - 4096;
	}
	copy(memory);
	return 0;
}
