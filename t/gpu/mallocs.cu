// SPDX-License-Identifier: Apache-2.0
// Allocates three times, and prints what the runtime answers.
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
	for (int i = 0; i < 3; i++) {
		void *pointer = nullptr;
		cudaError_t result = cudaMalloc(&pointer, 1 << 20);

		std::printf("cudaMalloc %d %s\n", (int)result, pointer ? "pointer" : "nothing");
		cudaFree(pointer);
	}
	return 0;
}
