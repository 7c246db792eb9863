/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver for the limit hook's tests, of what the simulated one has not:
 * pools that keep memory and take it in large pieces, graphs that allocate,
 * memory of other processes. One device, of any number, no checks; addresses are numbers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/cuda_types.h>

#define EXPORT __attribute__((visibility("default"))) CUresult

enum { PIECE = 32 << 20, NODES = 8, CAPTURED = 0x30 };

static uint64_t pool_used, pool_holds, graphs_hold, last, calls;

/* What the driver holds in all, and how often it was asked for memory. */
__attribute__((visibility("default"))) uint64_t test_holds(void)
{
	return pool_holds + graphs_hold;
}

__attribute__((visibility("default"))) uint64_t test_calls(void)
{
	return calls;
}

/* What a test does inside of a call, and how often a pool was asked for that is no more. */
__attribute__((visibility("default"))) void (*test_inside)(const char *function);
__attribute__((visibility("default"))) int test_wrong;

/* Whether graphs are not destroyed, and whether pools give back what is freed at once. */
__attribute__((visibility("default"))) int test_refuses, test_frees;

static _Atomic(CUmemoryPool) own_pool;
static CUcontext current;
static uintptr_t contexts;

/* Pools give back what they do not need, in the pieces they take it in. */
static void trim_pools(void)
{
	while (pool_holds >= pool_used + PIECE)
		pool_holds -= PIECE;
}

static void inside(const char *function)
{
	if (test_inside)
		test_inside(function);
}

/* Of a pool's number: the one that is always there, and one that is created. */
static void ask_pool(CUmemoryPool pool)
{
	if (pool != (CUmemoryPool)(uintptr_t)0x100 && pool != own_pool)
		test_wrong++;
}

EXPORT cuMemsetD8_v2(CUdeviceptr address, unsigned char byte, size_t count)
{
	(void)address;
	(void)byte;
	(void)count;
	return 0;
}

EXPORT cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	(void)props;
	*pool = own_pool = (CUmemoryPool)(uintptr_t)(++last << 32);
	return 0;
}

EXPORT cuMemPoolDestroy(CUmemoryPool pool)
{
	ask_pool(pool);
	own_pool = NULL;
	inside("destroy");
	return 0;
}

EXPORT cuInit(unsigned int flags)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");

	(void)flags;
	if (getenv("SAY_VISIBLE"))
		printf("%s\n", visible ? visible : "unset");
	return 0;
}

EXPORT cuCtxGetDevice(CUdevice *device)
{
	const char *number = getenv("DEVICE");

	*device = number ? atoi(number) : 0;
	return getenv("NO_DEVICE") ? CUDA_ERROR_NOT_SUPPORTED : 0;
}

/* One context inside of another, which has none of its own. */
EXPORT cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	(void)flags;
	(void)device;
	*context = current = (CUcontext)(uintptr_t)++contexts;
	return 0;
}

EXPORT cuCtxGetCurrent(CUcontext *context)
{
	*context = current;
	return 0;
}

EXPORT cuCtxDestroy_v2(CUcontext context)
{
	(void)context;
	current = NULL;
	return 0;
}

EXPORT cuCtxAttach(CUcontext *context, unsigned int flags)
{
	(void)flags;
	*context = current;
	return 0;
}

EXPORT cuCtxDetach(CUcontext context)
{
	(void)context;
	return 0;
}

EXPORT cuMemGetInfo_v2(size_t *free, size_t *total)
{
	*total = (size_t)80 << 30;
	*free = *total - test_holds();
	return 0;
}

EXPORT cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
	(void)size;
	calls++;
	*address = ++last << 32;
	return 0;
}

EXPORT cuMemFree_v2(CUdeviceptr address)
{
	(void)address;
	return 0;
}

/* A pool at 0x100, which gives back what it does not need when it is told to. */
EXPORT cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	(void)device;
	*pool = (CUmemoryPool)(uintptr_t)0x100;
	return 0;
}

EXPORT cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return cuDeviceGetMemPool(pool, device);
}

EXPORT cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	*status = stream == (CUstream)CAPTURED ? CU_STREAM_CAPTURE_STATUS_ACTIVE :
						 CU_STREAM_CAPTURE_STATUS_NONE;
	return 0;
}

EXPORT cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	*address = ++last << 32 | size;
	if (stream == (CUstream)CAPTURED)
		return 0;
	calls++;
	pool_used += size;
	while (pool_holds < pool_used)
		pool_holds += PIECE;
	return 0;
}

EXPORT cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	(void)stream;
	(void)address;
	pool_used -= (uint32_t)address;
	if (test_frees)
		trim_pools();
	return 0;
}

EXPORT cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool,
			       CUstream stream)
{
	ask_pool(pool);
	return cuMemAllocAsync(address, size, stream);
}

/* All that the device's pools and graphs have is gone. */
EXPORT cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	(void)device;
	pool_used = pool_holds = graphs_hold = 0;
	return 0;
}

EXPORT cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	ask_pool(pool);
	(void)attribute;
	*(cuuint64_t *)value = pool_holds;
	return 0;
}

static CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

EXPORT cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode now = capture_mode;

	capture_mode = *mode;
	*mode = now;
	return 0;
}

/* Somebody always captures here. */
EXPORT cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	if (capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	ask_pool(pool);
	(void)keep;
	if (pool == own_pool)
		inside("trim");
	ask_pool(pool);
	trim_pools();
	return 0;
}

/* A graph is the number of its nodes; each odd one allocates 4 MiB. */
EXPORT cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	*count = (uintptr_t)graph % 16;
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = (CUgraphNode)(i + 1);
	return 0;
}

EXPORT cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	*type = (uintptr_t)node % 2 ? CU_GRAPH_NODE_TYPE_MEM_ALLOC : CU_GRAPH_NODE_TYPE_KERNEL;
	return 0;
}

EXPORT cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	(void)node;
	memset(params, 0, sizeof(*params));
	params->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	params->bytesize = 4 << 20;
	return 0;
}

EXPORT cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)flags;
	*exec = (CUgraphExec)graph;
	return 0;
}

EXPORT cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	uint64_t needs = ((uintptr_t)exec % 16 + 1) / 2 * (4 << 20);

	(void)stream;
	calls++;
	if (graphs_hold < needs)
		graphs_hold = needs;
	return 0;
}

EXPORT cuGraphExecDestroy(CUgraphExec exec)
{
	(void)exec;
	return test_refuses ? CUDA_ERROR_INVALID_HANDLE : 0;
}

EXPORT cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	(void)device;
	(void)attribute;
	*(cuuint64_t *)value = graphs_hold;
	return 0;
}

EXPORT cuDeviceGraphMemTrim(CUdevice device)
{
	(void)device;
	graphs_hold = 0;
	return 0;
}

/* What the handle's first bytes say is the size; the same handle, the same address. */
EXPORT cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags)
{
	uint64_t size;

	(void)flags;
	calls++;
	memcpy(&size, &handle, sizeof(size));
	*address = (uint64_t)1 << 40 | size;
	return 0;
}

EXPORT cuIpcCloseMemHandle(CUdeviceptr address)
{
	(void)address;
	calls--;
	return 0;
}

EXPORT cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	inside("range");
	*base = address;
	*size = address & 0xffffffff;
	return 0;
}

EXPORT cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os,
				      CUmemAllocationHandleType type)
{
	(void)type;
	*handle = (uintptr_t)os;
	return 0;
}

EXPORT cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
					      CUmemGenericAllocationHandle handle)
{
	(void)handle;
	memset(prop, 0, sizeof(*prop));
	prop->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	return 0;
}

EXPORT cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	(void)address;
	(void)size;
	(void)offset;
	(void)handle;
	(void)flags;
	calls++;
	return 0;
}

EXPORT cuMemUnmap(CUdeviceptr address, size_t size)
{
	(void)address;
	(void)size;
	inside("unmap");
	return 0;
}

EXPORT cuMemRelease(CUmemGenericAllocationHandle handle)
{
	(void)handle;
	return 0;
}

EXPORT cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *as)
{
	(void)as;
	*array = (CUarray)(uintptr_t)(++last << 32);
	return 0;
}

EXPORT cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *as)
{
	(void)as;
	*array = (CUarray)(uintptr_t)(++last << 32);
	return 0;
}

EXPORT cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *as,
			      unsigned int levels)
{
	(void)as;
	(void)levels;
	*array = (CUmipmappedArray)(uintptr_t)(++last << 32);
	return 0;
}
