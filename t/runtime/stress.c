/* SPDX-License-Identifier: Apache-2.0 */
/* The stress test's calls, of a runtime. */
#include <stdatomic.h>

#include "t/fake/driver.h"
#include "t/plugins/stress.h"
#include "t/runtime/runtime.h"

const char *const stress_names[] = { "cudaMalloc", "cudaLaunchKernel", "cudaStreamAddCallback", "cuda*" };

static _Atomic long called_back;

static void call_back(void *data)
{
	(void)data;
	called_back++;
}

void stress_start(void)
{
	int device;

	cudaGetDevice(&device);
}

int stress_call(int function)
{
	const struct dim3 one = { 1, 1, 1 };
	void *pointer;

	switch (function) {
	case 0:
		return cudaMalloc(&pointer, 16);
	case 1:
		return cudaLaunchKernel(NULL, one, one, NULL, 0, NULL);
	default:
		return cudaStreamAddCallback(NULL, call_back, NULL, 1);
	}
}

/* Each function does something that is counted elsewhere. */
long stress_arrived(int function)
{
	return function == 0 ? cuaudit_fake_calls("cuMemAlloc_v2") :
	       function == 1 ? cuaudit_fake_calls("cuStreamQuery") : called_back;
}
