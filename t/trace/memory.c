/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory of all kinds, launches kernels, gives some back; says what it took, by kind. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/trace/good.h"

static const char ptx[] =
	".version 7.8\n.target sm_75\n.address_size 64\n"
	".visible .entry first() { ret; }\n.visible .entry second() { ret; }\n";

static void launches(CUstream stream)
{
	CUfunction first, second;
	CUmodule module;

	GOOD(cuModuleLoadData(&module, ptx));
	GOOD(cuModuleGetFunction(&first, module, "first"));
	GOOD(cuModuleGetFunction(&second, module, "second"));
	for (int i = 0; i < 30; i++)
		GOOD(cuLaunchKernel(i % 3 ? first : second, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	GOOD(cuStreamSynchronize(stream));
}

/* The array's 3 * 8 * 8 * 4 bytes stay, and a page of the host. */
static void others(CUstream stream)
{
	CUDA_ARRAY_DESCRIPTOR flat = { .Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT,
				       .NumChannels = 1 };
	CUDA_ARRAY3D_DESCRIPTOR cube = { .Width = 8, .Height = 8, .Depth = 3,
					 .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
	CUdeviceptr pool, managed;
	CUarray a, b;
	void *host;

	GOOD(cuMemAllocAsync(&pool, 4096, stream));
	GOOD(cuMemFreeAsync(pool, stream));
	GOOD(cuMemAllocManaged(&managed, 12288, CU_MEM_ATTACH_GLOBAL));
	GOOD(cuMemHostAlloc(&host, 4096, 0));
	GOOD(cuArrayCreate_v2(&a, &flat));
	GOOD(cuArray3DCreate_v2(&b, &cube));
	GOOD(cuArrayDestroy(a));
}

static size_t physical(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemGenericAllocationHandle one, two;
	size_t granularity;

	GOOD(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	GOOD(cuMemCreate(&one, granularity, &prop, 0));
	GOOD(cuMemCreate(&two, 2 * granularity, &prop, 0));
	GOOD(cuMemRelease(one));
	return 2 * granularity;
}

int main(void)
{
	CUdeviceptr a, b, c;
	size_t pitch, held;
	CUcontext context;
	CUstream stream;

	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&context, 0, 0));
	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	GOOD(cuMemAlloc_v2(&a, 1 << 20));
	GOOD(cuMemAllocPitch_v2(&b, &pitch, 100, 10, 4));
	GOOD(cuMemAlloc_v2(&c, 3 << 20));
	GOOD(cuMemFree_v2(a));
	launches(stream);
	others(stream);
	held = physical();
	printf("device %zu\nphysical %zu\npool 0\nmanaged 12288\narrays 768\nhost 4096\n",
	       pitch * 10 + (3 << 20), held);
	fflush(stdout);
	_exit(0);
}
