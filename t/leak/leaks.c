/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes objects of the driver, on purpose badly: leaks NAME... does what each
 * name says, in a context of its own or with `primary` first in a primary one.
 */
#include <cuaudit/cuda_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/trace/good.h"

#define STEP __attribute__((noinline, used)) void

static const char ptx[] =
	".version 7.8\n.target sm_75\n.address_size 64\n"
	".visible .global .align 4 .u32 table[10];\n"
	".visible .entry nothing() { ret; }\n";

static CUcontext context;
static CUdevice device;

/* Everything once, and given back. */
STEP clean(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemAccessDesc access = { .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
				   .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUDA_ARRAY_DESCRIPTOR flat = { .Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT,
				       .NumChannels = 1 };
	CUmemGenericAllocationHandle physical;
	CUdeviceptr a, b, c, range, global;
	size_t granularity, pitch, size;
	CUmemoryPool pool;
	CUfunction function;
	CUstream stream;
	CUmodule module;
	CUevent event;
	CUarray array;
	void *host;

	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	GOOD(cuEventCreate(&event, 0));
	GOOD(cuMemAlloc_v2(&a, 1 << 20));
	GOOD(cuMemAllocPitch_v2(&b, &pitch, 100, 10, 4));
	GOOD(cuMemAllocAsync(&c, 4096, stream));
	GOOD(cuMemsetD8Async(a + 4096, 1, 4096, stream));
	GOOD(cuEventRecord(event, stream));
	GOOD(cuStreamSynchronize(stream));
	GOOD(cuMemFreeAsync(c, stream));
	GOOD(cuMemPoolCreate(&pool, &props));
	GOOD(cuMemAllocFromPoolAsync(&c, 4096, pool, stream));
	GOOD(cuMemFreeAsync(c, stream));
	GOOD(cuStreamSynchronize(stream));
	GOOD(cuMemPoolDestroy(pool));
	GOOD(cuMemHostAlloc(&host, 4096, 0));
	GOOD(cuMemFreeHost(host));
	host = aligned_alloc(4096, 8192);
	GOOD(cuMemHostRegister_v2(host, 8192, 0));
	GOOD(cuMemHostUnregister(host));
	free(host);
	GOOD(cuArrayCreate_v2(&array, &flat));
	GOOD(cuArrayDestroy(array));
	GOOD(cuModuleLoadData(&module, ptx));
	GOOD(cuModuleGetFunction(&function, module, "nothing"));
	GOOD(cuModuleGetGlobal_v2(&global, &size, module, "table"));
	GOOD(cuMemsetD32_v2(global, 7, 10));
	GOOD(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	GOOD(cuStreamSynchronize(stream));
	GOOD(cuModuleUnload(module));
	GOOD(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	GOOD(cuMemCreate(&physical, granularity, &prop, 0));
	GOOD(cuMemAddressReserve(&range, 2 * granularity, 0, 0, 0));
	for (int i = 0; i < 2; i++) {
		/* The same addresses again are another mapping. */
		GOOD(cuMemMap(range, granularity, 0, physical, 0));
		GOOD(cuMemSetAccess(range, granularity, &access, 1));
		GOOD(cuMemsetD8_v2(range + 100, 0, 100));
		GOOD(cuMemUnmap(range, granularity));
	}
	GOOD(cuMemAddressFree(range, 2 * granularity));
	GOOD(cuMemRelease(physical));
	GOOD(cuMemFree_v2(a));
	GOOD(cuMemFree_v2(b));
	GOOD(cuEventDestroy_v2(event));
	GOOD(cuStreamDestroy_v2(stream));
}

STEP leave_memory(void)
{
	CUdeviceptr a;

	/* volatile: one call in one place, however it is compiled. */
	for (volatile int i = 0; i < 3; i++)
		GOOD(cuMemAlloc_v2(&a, 1000));
}

STEP leave_pitch(void)
{
	CUdeviceptr a;
	size_t pitch;

	GOOD(cuMemAllocPitch_v2(&a, &pitch, 100, 10, 4));
	printf("pitch %zu\n", pitch);
}

STEP leave_host(void)
{
	static char buffer[8192] __attribute__((aligned(4096)));
	void *host;

	GOOD(cuMemHostAlloc(&host, 3000, 0));
	GOOD(cuMemHostRegister_v2(buffer, sizeof(buffer), 0));
}

STEP leave_managed(void)
{
	CUdeviceptr a;

	GOOD(cuMemAllocManaged(&a, 2000, CU_MEM_ATTACH_GLOBAL));
}

STEP leave_pool(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemoryPool pool;
	CUdeviceptr a;

	GOOD(cuMemPoolCreate(&pool, &props));
	GOOD(cuMemAllocFromPoolAsync(&a, 500, pool, NULL));
}

STEP leave_virtual(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemGenericAllocationHandle physical;
	size_t granularity;
	CUdeviceptr range;

	GOOD(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	GOOD(cuMemCreate(&physical, granularity, &prop, 0));
	GOOD(cuMemAddressReserve(&range, granularity, 0, 0, 0));
	GOOD(cuMemMap(range, granularity, 0, physical, 0));
	printf("granularity %zu\n", granularity);
}

STEP leave_array(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = { .Width = 8, .Height = 4, .Format = CU_AD_FORMAT_FLOAT,
				       .NumChannels = 2 };
	CUarray array;

	GOOD(cuArrayCreate_v2(&array, &flat));
}

STEP leave_stream(void)
{
	CUstream stream;

	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

STEP leave_event(void)
{
	CUevent event;

	GOOD(cuEventCreate(&event, 0));
}

STEP leave_code(void)
{
	CUfunction function;
	CUlibrary library;
	CUmodule module;

	GOOD(cuModuleLoadData(&module, ptx));
	GOOD(cuModuleGetFunction(&function, module, "nothing"));
	GOOD(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
}

STEP leave_context(void)
{
	CUcontext mine, popped;

	GOOD(cuCtxCreate_v2(&mine, 0, device));
	GOOD(cuCtxPopCurrent_v2(&popped));
}

/* All of it goes with its context. */
STEP with_context(void)
{
	CUcontext mine;
	CUdeviceptr a;
	CUstream stream;
	CUevent event;
	void *host;

	GOOD(cuCtxCreate_v2(&mine, 0, device));
	GOOD(cuMemAlloc_v2(&a, 1000));
	GOOD(cuStreamCreate(&stream, 0));
	GOOD(cuEventCreate(&event, 0));
	GOOD(cuMemHostAlloc(&host, 1000, 0));
	GOOD(cuCtxDestroy_v2(mine));
	/* An answer of the driver's, or none: a real one may not look. */
	cuEventQuery(event);
}

STEP double_free(void)
{
	CUdeviceptr a;

	GOOD(cuMemAlloc_v2(&a, 1000));
	GOOD(cuMemFree_v2(a));
	for (volatile int i = 0; i < 2; i++)
		cuMemFree_v2(a);
}

STEP use_after_free(void)
{
	CUdeviceptr a;

	GOOD(cuMemAlloc_v2(&a, 1000));
	GOOD(cuMemFree_v2(a));
	cuMemsetD8_v2(a + 10, 0, 10);
}

STEP stream_after_free(void)
{
	CUstream stream;

	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	GOOD(cuStreamDestroy_v2(stream));
	cuStreamQuery(stream);
}

STEP function_after_unload(void)
{
	CUfunction function;
	CUmodule module;

	GOOD(cuModuleLoadData(&module, ptx));
	GOOD(cuModuleGetFunction(&function, module, "nothing"));
	GOOD(cuModuleUnload(module));
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

STEP invalid_free(void)
{
	CUdeviceptr a;
	int local;

	GOOD(cuMemAlloc_v2(&a, 1000));
	cuMemFree_v2((CUdeviceptr)(uintptr_t)&local);
	cuMemFree_v2(a + 16);
	GOOD(cuMemFree_v2(a));
}

STEP wrong_context(void)
{
	CUcontext mine, popped;
	CUstream stream;
	CUevent event;

	GOOD(cuEventCreate(&event, 0));
	GOOD(cuCtxCreate_v2(&mine, 0, device));
	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	cuEventRecord(event, stream);
	cuEventRecord(event, NULL);
	GOOD(cuStreamDestroy_v2(stream));
	GOOD(cuCtxPopCurrent_v2(&popped));
	GOOD(cuCtxDestroy_v2(mine));
	GOOD(cuEventRecord(event, NULL));
	GOOD(cuEventDestroy_v2(event));
}

/* Nothing of the parent's is the child's. */
STEP fork_child(void)
{
	CUdeviceptr a;
	int status;

	GOOD(cuMemAlloc_v2(&a, 1000));
	if (!fork()) {
		cuMemFree_v2(a);
		exit(0);
	}
	wait(&status);
	GOOD(cuMemFree_v2(a));
}

static const struct {
	const char *name;
	void (*run)(void);
} steps[] = {
	{ "clean", clean },
	{ "memory", leave_memory },
	{ "pitch", leave_pitch },
	{ "host", leave_host },
	{ "managed", leave_managed },
	{ "pool", leave_pool },
	{ "virtual", leave_virtual },
	{ "array", leave_array },
	{ "stream", leave_stream },
	{ "event", leave_event },
	{ "code", leave_code },
	{ "context", leave_context },
	{ "with-context", with_context },
	{ "double-free", double_free },
	{ "use-after-free", use_after_free },
	{ "stream-after-free", stream_after_free },
	{ "function-after-unload", function_after_unload },
	{ "invalid-free", invalid_free },
	{ "wrong-context", wrong_context },
	{ "fork", fork_child },
};

static int primary;

static void step(const char *name)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (!strcmp(steps[i].name, name)) {
			steps[i].run();
			return;
		}
	}
	fprintf(stderr, "no step %s\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	int first = 1;

	GOOD(cuInit(0));
	GOOD(cuDeviceGet(&device, 0));
	if (argc > 1 && !strcmp(argv[1], "primary")) {
		primary = first++;
		GOOD(cuDevicePrimaryCtxRetain(&context, device));
		GOOD(cuCtxSetCurrent(context));
	} else {
		GOOD(cuCtxCreate_v2(&context, 0, device));
	}
	for (int i = first; i < argc; i++)
		step(argv[i]);
	if (argc > first && !strcmp(argv[argc - 1], "clean")) {
		if (primary)
			GOOD(cuDevicePrimaryCtxRelease_v2(device));
		else
			GOOD(cuCtxDestroy_v2(context));
	}
	fflush(stdout);
	return 3;
}
