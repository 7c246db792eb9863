/* SPDX-License-Identifier: Apache-2.0 */
/* On a GPU, under limit(device0=1GiB;count=allocations): each way to take memory, and what is told. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuaudit/cuda_types.h>

#define LIMIT ((size_t)1 << 30)
#define MIB ((size_t)1 << 20)

CUresult cuInit(unsigned int flags);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size);
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
			    unsigned int element);
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned int flags);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
			     CUdeviceptr at, unsigned long long flags);
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t size);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address);
CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
				size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
			       size_t count, CUdeviceptr address);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuDeviceGraphMemTrim(CUdevice device);

static int failed;

static void check(int good, const char *what)
{
	size_t free = 0, total = 0;

	cuMemGetInfo_v2(&free, &total);
	printf("%s - %s (%zu of %zu MiB left)\n", good ? "ok" : "not ok", what, free / MIB,
	       total / MIB);
	failed += !good;
}

static size_t taken(void)
{
	size_t free = 0, total = 0;

	return cuMemGetInfo_v2(&free, &total) || total != LIMIT ? (size_t)-1 : total - free;
}

static void linear(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = 1024, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4,
	};
	CUdeviceptr a, b, c;
	CUarray array;
	size_t pitch, bytes;

	check(!cuDeviceTotalMem_v2(&bytes, 0) && bytes == LIMIT, "total");
	check(!cuMemAlloc_v2(&a, 256 * MIB) && taken() == 256 * MIB, "cuMemAlloc");
	check(cuMemAlloc_v2(&b, 769 * MIB) == CUDA_ERROR_OUT_OF_MEMORY, "too much");
	check(!cuMemAllocPitch_v2(&b, &pitch, 1000, 1024, 4) &&
	      taken() == 256 * MIB + pitch * 1024, "cuMemAllocPitch");
	check(!cuMemAllocManaged(&c, 64 * MIB, CU_MEM_ATTACH_GLOBAL) &&
	      taken() == 320 * MIB + pitch * 1024, "cuMemAllocManaged");
	check(!cuArrayCreate_v2(&array, &flat) && taken() == 336 * MIB + pitch * 1024,
	      "cuArrayCreate");
	check(!cuMemFree_v2(a) && !cuMemFree_v2(b) && !cuMemFree_v2(c) &&
	      !cuArrayDestroy(array) && !taken(), "all back");
}

static void pools(void)
{
	cuuint64_t keep = UINT64_MAX;
	CUmemoryPool pool;
	CUdeviceptr a, b;

	check(!cuDeviceGetDefaultMemPool(&pool, 0) &&
	      !cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep), "a pool");
	check(!cuMemAllocAsync(&a, 512 * MIB, NULL) && taken() >= 512 * MIB &&
	      taken() <= 544 * MIB, "cuMemAllocAsync");
	check(cuMemAllocAsync(&b, 640 * MIB, NULL) == CUDA_ERROR_OUT_OF_MEMORY, "too much");
	check(!cuMemFreeAsync(a, NULL) && !cuCtxSynchronize() && taken() >= 512 * MIB,
	      "it keeps what is freed");
	check(!cuMemAlloc_v2(&a, 960 * MIB), "and is trimmed when that is wanted");
	check(!cuMemFree_v2(a) && !cuMemPoolTrimTo(pool, 0) && !taken(), "all back");
}

static void physical(void)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUmemGenericAllocationHandle handle, again;
	CUdeviceptr at;

	check(!cuMemCreate(&handle, 128 * MIB, &prop, 0) && taken() == 128 * MIB, "cuMemCreate");
	check(!cuMemAddressReserve(&at, 128 * MIB, 0, 0, 0) &&
	      !cuMemMap(at, 128 * MIB, 0, handle, 0) && !cuMemRelease(handle) &&
	      taken() == 128 * MIB, "mapped, its handle released");
	check(!cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(at + MIB)) &&
	      taken() == 128 * MIB, again == handle ? "retained: the same handle" :
						      "retained: another handle");
	check(!cuMemUnmap(at, 128 * MIB) && taken() == 128 * MIB, "unmapped");
	check(!cuMemRelease(again) && !taken(), "released");
}

static void graphs(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = {
			.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
		},
		.bytesize = 256 * MIB,
	};
	CUgraphNode takes, gives;
	CUgraphExec exec;
	CUgraph graph;
	CUdeviceptr a;

	check(!cuGraphCreate(&graph, 0) &&
	      !cuGraphAddMemAllocNode(&takes, graph, NULL, 0, &params) &&
	      !cuGraphAddMemFreeNode(&gives, graph, &takes, 1, params.dptr) &&
	      !cuGraphInstantiateWithFlags(&exec, graph, 0), "a graph that allocates");
	check(!cuMemAlloc_v2(&a, 896 * MIB) &&
	      cuGraphLaunch(exec, NULL) == CUDA_ERROR_OUT_OF_MEMORY, "is not launched");
	check(!cuMemFree_v2(a) && !cuGraphLaunch(exec, NULL) && !cuCtxSynchronize() &&
	      taken() <= 320 * MIB, "is launched");
	check(!cuDeviceGraphMemTrim(0) && !taken(), "all back");
}

int main(void)
{
	CUcontext primary, context;
	CUdeviceptr a;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&primary, 0) || cuCtxSetCurrent(primary))
		return 1;
	linear();
	pools();
	physical();
	graphs();
	check(!cuCtxCreate_v2(&context, 0, 0) && !cuMemAlloc_v2(&a, MIB) && taken() == MIB,
	      "another context");
	check(!cuCtxDestroy_v2(context) && !cuCtxSetCurrent(primary) && !taken(), "destroyed");
	check(!cuMemAlloc_v2(&a, MIB) && !cuDevicePrimaryCtxReset_v2(0) &&
	      !cuDevicePrimaryCtxRetain(&primary, 0) && !cuCtxSetCurrent(primary) && !taken(),
	      "reset");
	printf("%d failed\n", failed);
	return failed != 0;
}
