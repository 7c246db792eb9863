/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that no call of its own takes, under limit(device0=64M), on t/limit/driver.c. */
/* held ONE: one of the parts below alone, whose report is looked at; its exit status says how it went. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/tap.h"

enum { MIB = 1 << 20, CAPTURED = 0x30 };

uint64_t test_holds(void);
uint64_t test_calls(void);
extern int test_refuses, test_frees;

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
	ok(!cuMemAllocAsync(&a, MIB, NULL) && !cuMemAlloc_v2(&c, MIB) && left() == 31, "again");
	ok(!cuDevicePrimaryCtxReset_v2(0) && left() == 63, "a reset device's pools hold nothing");
	ok(!cuMemFree_v2(c) && left() == 64, "freed");
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

/* What a context is attached to for in the parent is nothing to the child. */
static void children(void)
{
	CUcontext context, same;
	CUdeviceptr a;
	int status = -1;
	pid_t child;

	ok(!cuCtxCreate_v2(&context, 0, 0) && !cuCtxAttach(&same, 0), "a context attached to");
	child = fork();
	if (!child)
		_exit(!cuInit(0) && !cuCtxCreate_v2(&context, 0, 0) && !cuMemAlloc_v2(&a, MIB) &&
		      left() == 63 && !cuCtxDetach(context) && left() == 64 ? 0 : 1);
	ok(waitpid(child, &status, 0) == child && !status, "a child detaches from its own");
	ok(!cuCtxDetach(context) && !cuCtxDestroy_v2(context), "the parent from that one");
}

static CUresult open_other(CUdeviceptr *address, uint64_t size)
{
	CUipcMemHandle ipc = { { 0 } };

	memcpy(&ipc, &size, sizeof(size));
	return cuIpcOpenMemHandle_v2(address, ipc, 0);
}

static int never_mapped(void)
{
	CUmemGenericAllocationHandle handle;

	return cuMemImportFromShareableHandle(&handle, (void *)0x500, 0) || cuMemRelease(handle);
}

static int launched(void)
{
	CUgraphExec small;

	return cuGraphInstantiateWithFlags(&small, (CUgraph)(uintptr_t)0x102, 0) ||
	       cuGraphLaunch(small, NULL) || cuDeviceGraphMemTrim(0);
}

/* The driver takes back what the pool had, before another call takes more. */
static int given_back(void)
{
	CUdeviceptr a, b;

	test_frees = 1;
	return cuMemAllocAsync(&a, 16 * MIB, NULL) || cuMemFreeAsync(a, NULL) || test_holds() ||
	       cuMemAlloc_v2(&b, 40 * MIB) || cuMemFree_v2(b);
}

/* The user has 64 MiB; what another process allocated is its own. */
static int of_others(void)
{
	CUdeviceptr a, b;

	return open_other(&a, 40 * MIB) || cuMemAlloc_v2(&b, 60 * MIB) || cuMemFree_v2(b) ||
	       cuIpcCloseMemHandle(a);
}

/* What the driver alone knows the size of, or makes more of: 96 MiB for a mapping, 64 for an allocation of 40. */
static int mapped(void)
{
	CUmemGenericAllocationHandle handle;

	return cuMemImportFromShareableHandle(&handle, (void *)0x500, 0) || cuMemMap(1 << 30, 96 * MIB, 0, handle, 0) ||
	       cuMemUnmap(1 << 30, 96 * MIB) || cuMemRelease(handle);
}

static int grown(void)
{
	CUdeviceptr a;

	return cuMemAllocAsync(&a, 40 * MIB, NULL) || cuMemFreeAsync(a, NULL);
}

/* More pools than there is room for, one after the other; memory outlives its pool. */
static int many_pools(void)
{
	CUmemPoolProps props;
	CUmemoryPool pool;
	CUdeviceptr a;

	memset(&props, 0, sizeof(props));
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	for (int i = 0; i < 600; i++)
		if (cuMemPoolCreate(&pool, &props) ||
		    (i % 2 && cuMemAllocFromPoolAsync(&a, MIB, pool, NULL)) ||
		    cuMemPoolDestroy(pool) || (i % 2 && (left() != 63 || cuMemFreeAsync(a, NULL))))
			return 1;
	return left() != 64;
}

static const struct {
	const char *name;
	int (*run)(void);
} alone[] = {
	{ "never-mapped", never_mapped },
	{ "launched", launched },
	{ "given-back", given_back },
	{ "of-others", of_others },
	{ "many-pools", many_pools },
	{ "mapped", mapped },
	{ "grown", grown },
};

/* held visible LIST...: the driver is called, then the variable is changed, unset where LIST is -, and it is initialized; for each. */
static int visible(char **lists)
{
	CUdevice device;

	cuCtxGetDevice(&device);
	for (; *lists; lists++) {
		if (!strcmp(*lists, "-"))
			unsetenv("CUDA_VISIBLE_DEVICES");
		else
			setenv("CUDA_VISIBLE_DEVICES", *lists, 1);
		cuInit(0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "visible"))
		return visible(argv + 2);
	cuInit(0);
	for (size_t i = 0; argc > 1 && i < sizeof(alone) / sizeof(alone[0]); i++)
		if (!strcmp(argv[1], alone[i].name))
			return alone[i].run();
	if (argc > 1)
		return 0;
	pools();
	graphs();
	others();
	contexts();
	children();
	return done_testing();
}
