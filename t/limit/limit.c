/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes and gives back device memory of every kind under limit(device0=64M),
 * on the simulated driver, and looks at what it is told after each step.
 */
#include <stdio.h>
#include <string.h>

#include "sim/api.h"
#include "t/tap.h"

enum { MIB = 1 << 20, LIMIT = 64 * MIB, REST = MIB };

static CUcontext context;

static size_t left(void)
{
	size_t free = 0, total = 0;

	if (cuMemGetInfo_v2(&free, &total) || total != LIMIT)
		return (size_t)-1;
	return free;
}

/* That so many bytes are taken, and that the whole rest and no more can be. */
static void taken(size_t bytes, const char *what)
{
	CUdeviceptr rest = 0, more = 1;
	size_t free = left();

	ok(free == LIMIT - bytes, "%s: %zu are taken", what, LIMIT - free);
	if (!free)
		return;
	ok(cuMemAlloc_v2(&more, free + 1) == CUDA_ERROR_OUT_OF_MEMORY, "%s: no more than the rest",
	   what);
	ok(!cuMemAlloc_v2(&rest, free) && !left(), "%s: all of the rest", what);
	ok(cuMemAlloc_v2(&more, 1) == CUDA_ERROR_OUT_OF_MEMORY, "%s: then nothing", what);
	ok(!cuMemFree_v2(rest) && left() == free, "%s: the rest is back", what);
}

static void linear(void)
{
	CUdeviceptr a, b, c;
	unsigned int narrow_free, narrow_total;
	size_t pitch, bytes;

	ok(!cuMemAlloc_v2(&a, MIB + 1), "cuMemAlloc");
	taken(MIB + 512, "cuMemAlloc");
	ok(cuMemAlloc_v2(&b, 0) == CUDA_ERROR_INVALID_VALUE, "what the driver refuses");
	ok(cuMemAlloc_v2(&b, ~(size_t)0) == CUDA_ERROR_OUT_OF_MEMORY, "more than there can be");
	taken(MIB + 512, "a refusal");
	ok(cuMemFree_v2(a + 8) && cuMemFree_v2(12345), "what is no allocation");
	taken(MIB + 512, "a free of another's");
	ok(!cuMemAllocPitch_v2(&b, &pitch, 1000, 3000, 4) && pitch == 1024, "cuMemAllocPitch");
	taken(MIB + 512 + 3000 * 1024, "cuMemAllocPitch");
	ok(!cuMemAllocManaged(&c, MIB, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
	taken(2 * MIB + 512 + 3000 * 1024, "cuMemAllocManaged");
	ok(!cuMemGetInfo(&narrow_free, &narrow_total) && narrow_total == LIMIT &&
	   narrow_free == left(), "cuMemGetInfo of old");
	ok(!cuDeviceTotalMem_v2(&bytes, 0) && bytes == LIMIT, "cuDeviceTotalMem");
	ok(!cuDeviceTotalMem_v2(&bytes, 1) && bytes == 1024 * (size_t)MIB, "of the other device");
	ok(!cuMemFree_v2(a) && !cuMemFree_v2(b) && !cuMemFree_v2(c), "cuMemFree");
	ok(cuMemFree_v2(a) == CUDA_ERROR_INVALID_VALUE, "twice");
	taken(0, "cuMemFree");
}

static void pools(void)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUmemoryPool pool;
	CUstream stream;
	CUdeviceptr a, b, c;

	cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
	ok(!cuMemAllocAsync(&a, MIB, NULL) && !cuMemAllocAsync_ptsz(&b, MIB, NULL),
	   "cuMemAllocAsync");
	taken(2 * MIB, "cuMemAllocAsync");
	ok(cuMemAllocAsync(&c, LIMIT - MIB, stream) == CUDA_ERROR_OUT_OF_MEMORY, "too much of it");
	ok(!cuMemPoolCreate(&pool, &props) &&
	   !cuMemAllocFromPoolAsync(&c, MIB, pool, stream), "cuMemAllocFromPoolAsync");
	taken(3 * MIB, "cuMemAllocFromPoolAsync");
	ok(cuMemAllocFromPoolAsync_ptsz(&c, LIMIT, pool, stream) == CUDA_ERROR_OUT_OF_MEMORY,
	   "too much of it");
	ok(!cuMemPoolDestroy(pool), "cuMemPoolDestroy");
	taken(3 * MIB, "a pool destroyed before what is in it");
	ok(!cuMemFreeAsync(a, stream) && !cuMemFreeAsync_ptsz(b, NULL) && !cuMemFree_v2(c),
	   "cuMemFreeAsync");
	taken(0, "cuMemFreeAsync");
	cuStreamDestroy_v2(stream);
}

static void physical(void)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUmemGenericAllocationHandle a, again;
	CUdeviceptr at;

	ok(!cuMemCreate(&a, 4 * MIB, &prop, 0), "cuMemCreate");
	taken(4 * MIB, "cuMemCreate");
	ok(cuMemCreate(&again, LIMIT, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY, "too much of it");
	ok(!cuMemAddressReserve(&at, 8 * MIB, 0, 0, 0) && !cuMemMap(at, 4 * MIB, 0, a, 0),
	   "cuMemMap");
	ok(!cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(at + MIB)), "retained");
	ok(!cuMemRelease(a), "released once");
	taken(4 * MIB, "with a handle and a mapping");
	ok(!cuMemRelease(again), "released twice");
	taken(4 * MIB, "with a mapping alone");
	ok(!cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(at + MIB)) &&
	   !cuMemUnmap(at, 4 * MIB), "retained from the mapping, then unmapped");
	taken(4 * MIB, "with a handle alone");
	ok(!cuMemRelease(again), "released for good");
	taken(0, "cuMemRelease");
	ok(cuMemRelease(again), "and no more");
	ok(!cuMemCreate(&a, 2 * MIB, &prop, 0) && !cuMemCreate(&again, 2 * MIB, &prop, 0) &&
	   !cuMemMap(at, 2 * MIB, 0, a, 0) && !cuMemMap(at + 2 * MIB, 2 * MIB, 0, again, 0) &&
	   !cuMemRelease(a) && !cuMemRelease(again), "two mappings in a row");
	taken(4 * MIB, "two mappings");
	ok(!cuMemUnmap(at, 4 * MIB), "unmapped at once");
	taken(0, "cuMemUnmap");
	cuMemAddressFree(at, 8 * MIB);
}

static void arrays(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = 256, .Height = 512, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2,
	};
	CUDA_ARRAY3D_DESCRIPTOR deep = {
		.Width = 64, .Height = 64, .Depth = 64, .Format = CU_AD_FORMAT_HALF,
		.NumChannels = 4,
	};
	CUarray a, b, c;

	ok(!cuArrayCreate_v2(&a, &flat), "cuArrayCreate");
	taken(MIB, "cuArrayCreate");
	ok(!cuArray3DCreate_v2(&b, &deep), "cuArray3DCreate");
	taken(3 * MIB, "cuArray3DCreate");
	deep.Width = 64 * 64;
	ok(cuArray3DCreate_v2(&c, &deep) == CUDA_ERROR_OUT_OF_MEMORY, "too much of it");
	ok(!cuArrayDestroy(a) && !cuArrayDestroy(b), "cuArrayDestroy");
	taken(0, "cuArrayDestroy");
}

static void contexts(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = 256, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
	};
	CUdeviceptr a, b, outer;
	CUcontext inner, primary;
	CUarray array;

	ok(!cuMemAlloc_v2(&outer, MIB), "something of the outer context");
	ok(!cuCtxCreate_v2(&inner, 0, 0) && !cuMemAlloc_v2(&a, MIB) &&
	   !cuMemAllocManaged(&b, MIB, CU_MEM_ATTACH_GLOBAL) && !cuArrayCreate_v2(&array, &flat),
	   "a context of its own");
	taken(4 * MIB, "a second context");
	ok(!cuMemAllocAsync(&b, MIB, NULL), "and something of a pool");
	ok(!cuCtxDestroy_v2(inner), "cuCtxDestroy");
	taken(2 * MIB, "cuCtxDestroy leaves the pool's");
	ok(!cuMemFreeAsync(b, NULL), "which is freed");
	ok(!cuDevicePrimaryCtxRetain(&primary, 0) && !cuDevicePrimaryCtxRetain(&primary, 0) &&
	   !cuCtxPushCurrent_v2(primary) && !cuMemAlloc_v2(&a, MIB), "a primary context");
	taken(2 * MIB, "the primary context");
	ok(!cuDevicePrimaryCtxRelease_v2(0), "released, but not by all");
	taken(2 * MIB, "a release of two");
	ok(!cuDevicePrimaryCtxReset_v2(0), "reset");
	taken(MIB, "cuDevicePrimaryCtxReset");
	ok(!cuMemAlloc_v2(&a, MIB), "anew");
	taken(2 * MIB, "after the reset");
	ok(!cuDevicePrimaryCtxRelease_v2(0) && !cuCtxPopCurrent_v2(&primary), "released by all");
	taken(MIB, "the last release");
	ok(!cuMemFree_v2(outer), "freed");
	taken(0, "all contexts");
}

static void other_device(void)
{
	CUcontext second;
	CUdeviceptr a, b;
	size_t free, total;

	ok(!cuCtxCreate_v2(&second, 0, 1) && !cuMemAlloc_v2(&a, 2 * (size_t)LIMIT),
	   "a device without a limit");
	ok(!cuMemGetInfo_v2(&free, &total) && total == 1024 * (size_t)MIB &&
	   free == total - 2 * (size_t)LIMIT, "is told the truth");
	cuCtxPushCurrent_v2(context);
	taken(0, "the other device");
	ok(!cuMemAlloc_v2(&b, MIB), "one of this device");
	cuCtxPopCurrent_v2(&context);
	ok(!cuMemFree_v2(b) && !cuMemFree_v2(a), "freed from the other");
	cuCtxDestroy_v2(second);
	taken(0, "freed from the other");
}

int main(void)
{
	ok(!cuInit(0) && !cuCtxCreate_v2(&context, 0, 0), "a context");
	taken(0, "the beginning");
	linear();
	pools();
	physical();
	arrays();
	contexts();
	other_device();
	return done_testing();
}
