/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that no call of its own takes, under limit(device0=64M), on t/limit/driver.c. */
#include <stdint.h>
#include <string.h>

#include <cuaudit/cuda_types.h>

#include "t/tap.h"

enum { MIB = 1 << 20, CAPTURED = 0x30 };

CUresult cuInit(unsigned int flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxAttach(CUcontext *context, unsigned int flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *as,
				unsigned int levels);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuDeviceGraphMemTrim(CUdevice device);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os,
					CUmemAllocationHandleType type);
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t size);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
uint64_t test_holds(void);
uint64_t test_calls(void);
extern int test_refuses;

static int left(void)
{
	size_t free, total;

	return cuMemGetInfo_v2(&free, &total) || total != 64 * MIB ? -1 : (int)(free / MIB);
}

static void pools(void)
{
	CUdeviceptr a, b, c;

	ok(!cuMemAllocAsync(&a, MIB, NULL) && left() == 32, "a pool takes 32 MiB for one");
	ok(!cuMemAllocAsync(&b, 16 * MIB, NULL) && left() == 32, "and then none");
	ok(!cuMemFreeAsync(a, NULL) && !cuMemFreeAsync(b, NULL) && left() == 32,
	   "it keeps them after the free");
	ok(!cuMemAllocAsync(&a, 32 * MIB, NULL) && left() == 32, "and gives them again");
	ok(!cuMemAllocAsync(&b, MIB, NULL) && left() == 0, "before it takes more");
	ok(cuMemAlloc_v2(&c, MIB) == CUDA_ERROR_OUT_OF_MEMORY, "which is all");
	ok(!cuMemFreeAsync(a, NULL) && !left() && !cuMemAlloc_v2(&c, MIB),
	   "it is trimmed before anything is refused");
	is_int((long long)test_holds(), 32 * MIB, "by what it does not need");
	a = test_calls();
	ok(cuMemAllocAsync(&a, 40 * MIB, NULL) == CUDA_ERROR_OUT_OF_MEMORY, "too much of it");
	ok(cuMemAllocAsync(&a, 32 * MIB, NULL) == CUDA_ERROR_OUT_OF_MEMORY,
	   "too much with what comes with it");
	ok(!a && left() == 31, "is undone");
	ok(!cuMemFreeAsync(b, NULL) && !cuMemFree_v2(c), "freed");
	ok(!cuMemAlloc_v2(&c, 64 * MIB) && !cuMemFree_v2(c), "all is back");
}

static void graphs(void)
{
	CUdeviceptr a, captured;
	CUgraphExec small, large, none;
	uint64_t calls;

	ok(!cuMemAllocAsync(&captured, 128 * MIB, (CUstream)CAPTURED) && left() == 64,
	   "a captured allocation takes nothing");
	cuGraphInstantiateWithFlags(&none, (CUgraph)(uintptr_t)0x110, 0);
	cuGraphInstantiateWithFlags(&small, (CUgraph)(uintptr_t)0x102, 0);
	cuGraphInstantiateWithFlags(&large, (CUgraph)(uintptr_t)0x107, 0);
	ok(!cuGraphLaunch(none, NULL) && left() == 64, "a graph that allocates nothing");
	ok(!cuGraphLaunch(small, NULL) && left() == 60, "one that does takes it when launched");
	ok(!cuGraphLaunch(large, NULL) && left() == 48, "a larger one the rest");
	ok(!cuGraphLaunch(small, NULL) && left() == 48, "again, nothing more");
	ok(!cuDeviceGraphMemTrim(0) && left() == 64, "trimmed, it is back");
	test_refuses = 1;
	ok(cuGraphExecDestroy(small), "a graph that is not destroyed");
	test_refuses = 0;
	ok(!cuGraphLaunch(small, NULL) && left() == 60, "takes it as before");
	cuDeviceGraphMemTrim(0);
	ok(!cuMemAlloc_v2(&a, 50 * MIB), "most is taken");
	calls = test_calls();
	ok(cuGraphLaunch(large, NULL) == CUDA_ERROR_OUT_OF_MEMORY && test_calls() == calls,
	   "no launch without its memory");
	ok(!cuGraphLaunch(small, NULL) && left() == 10, "but of the small one");
	ok(!cuMemAlloc_v2(&captured, 14 * MIB) && !test_holds(), "graphs are trimmed, too");
	ok(!cuMemFree_v2(a) && !cuMemFree_v2(captured) && !cuGraphExecDestroy(large) &&
	   !cuGraphLaunch(large, NULL), "one that is no more");
	cuDeviceGraphMemTrim(0);
}

static void others(void)
{
	CUmemGenericAllocationHandle handle;
	CUipcMemHandle ipc = { { 0 } };
	CUdeviceptr a, b, c;
	uint64_t size = 40 * MIB, calls;

	memcpy(&ipc, &size, sizeof(size));
	ok(!cuIpcOpenMemHandle_v2(&a, ipc, 0) && left() == 24, "opened");
	ok(!cuIpcOpenMemHandle_v2(&b, ipc, 0) && left() == 24, "twice");
	calls = test_calls();
	size = 30 * MIB;
	memcpy(&ipc, &size, sizeof(size));
	ok(cuIpcOpenMemHandle_v2(&c, ipc, 0) == CUDA_ERROR_OUT_OF_MEMORY && !c &&
	   test_calls() == calls, "another is too much, and closed");
	ok(!cuIpcCloseMemHandle(a) && left() == 24, "closed once");
	ok(!cuIpcCloseMemHandle(b) && left() == 64, "and twice");
	ok(!cuMemImportFromShareableHandle(&handle, (void *)0x500, 0) && left() == 64,
	   "imported, of unknown size");
	ok(!cuMemMap(1 << 30, 24 * MIB, 8 * MIB, handle, 0) && left() == 32, "until mapped");
	ok(!cuMemMap(3 << 29, 32 * MIB, 0, handle, 0) && left() == 32, "once");
	calls = test_calls();
	ok(cuMemMap(1 << 28, 32 * MIB, 64 * MIB, handle, 0) == CUDA_ERROR_OUT_OF_MEMORY &&
	   test_calls() == calls, "more of it is too much");
	ok(!cuMemRelease(handle) && !cuMemUnmap(1 << 30, 24 * MIB) && left() == 32,
	   "a mapping keeps it");
	ok(!cuMemUnmap(3 << 29, 32 * MIB) && left() == 64, "unmapped");
}

static void contexts(void)
{
	CUDA_ARRAY3D_DESCRIPTOR texels = {
		.Width = 1024, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
	};
	CUipcMemHandle ipc = { { 0 } };
	CUmipmappedArray array;
	CUcontext context, same;
	CUdeviceptr a, outer;
	uint64_t size = 40 * MIB;

	memcpy(&ipc, &size, sizeof(size));
	ok(!cuMemAlloc_v2(&outer, MIB) && !cuCtxCreate_v2(&context, 0, 0), "a context");
	ok(!cuMipmappedArrayCreate(&array, &texels, 1) && left() == 59, "a mipmapped array of its own");
	ok(!cuIpcOpenMemHandle_v2(&a, ipc, 0) && left() == 19, "another process's memory");
	ok(!cuCtxDestroy_v2(context) && left() == 63, "destroyed, with what it had");
	ok(!cuCtxCreate_v2(&context, 0, 0) && !cuMemAlloc_v2(&a, MIB) && !cuCtxAttach(&same, 0),
	   "another one, attached to");
	ok(!cuCtxDetach(context) && left() == 62, "detached from, it keeps what it has");
	ok(!cuCtxDetach(context) && left() == 63, "but for the last time");
	ok(!cuCtxDestroy_v2(context) && !cuMemFree_v2(outer) && left() == 64, "the outer one's is freed");
}

int main(int argc, char **argv)
{
	(void)argv;
	cuInit(0);
	if (argc > 1)
		return 0;
	pools();
	graphs();
	others();
	contexts();
	return done_testing();
}
