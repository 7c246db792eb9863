/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives memory of one kind to memcpy: device, inside, managed, pinned, registered, freed, freed-pool,
 * freed-pinned, freed-managed; and what is wrong with good memory: overlap-pinned, overlap-managed, past,
 * past-registered.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

/* The last 60 bytes of a page, behind which nothing is mapped. */
static char *last_bytes(int registers)
{
	char *page = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + 4096, 4096);
	memset(page, 7, 4096);
	if (registers)
		check(cudaHostRegister(page, 4096, 0));
	return page + 4096 - 60;
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
	} else if (!strcmp(what, "freed-pinned")) {
		check(cudaMallocHost(&memory, 4 << 20));
		check(cudaFreeHost(memory));
	} else if (!strcmp(what, "freed-managed")) {
		check(cudaMallocManaged(&memory, 4 << 20));
		check(cudaFree(memory));
	} else if (!strcmp(what, "overlap-pinned") || !strcmp(what, "overlap-managed")) {
		check(what[8] == 'p' ? cudaMallocHost(&memory, 1 << 20) : cudaMallocManaged(&memory, 1 << 20));
		memset(memory, 7, 1 << 20);
		memcpy(memory + 64, memory, size);
	} else if (!strcmp(what, "past") || !strcmp(what, "past-registered")) {
		check(cudaFree(0));
		memory = last_bytes(what[4] == '-');
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
