/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in each direction, by each kind of function, so many bytes that no two sums of some are one. */
#include <stdio.h>
#include <unistd.h>

#include "sim/api.h"

enum { ROOM = 1 << 24, ROWS = 8 };

static CUdeviceptr device, other;
static char *host, *more;
static CUcontext context;
static int failed;

#define CALL(call) (failed += (call) != CUDA_SUCCESS)

static void start(void)
{
	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuMemAlloc_v2(&device, ROOM) ||
	    cuMemAlloc_v2(&other, ROOM) || cuMemAllocHost_v2((void **)&host, ROOM) ||
	    cuMemAllocHost_v2((void **)&more, ROOM))
		_exit(70);
}

static void plain(void)
{
	CALL(cuMemcpyHtoD_v2(device, host, 1));
	CALL(cuMemcpyHtoDAsync_v2(device, host, 2, NULL));
	CALL(cuMemcpyDtoH_v2(host, device, 4));
	CALL(cuMemcpyDtoHAsync_v2(host, device, 8, NULL));
	CALL(cuMemcpyDtoD_v2(device, other, 16));
	CALL(cuMemcpyDtoDAsync_v2(device, other, 32, NULL));
}

/* The driver finds out by the addresses. */
static void unified(void)
{
	CALL(cuMemcpy(device, (CUdeviceptr)host, 64));
	CALL(cuMemcpy((CUdeviceptr)host, device, 128));
	CALL(cuMemcpyAsync(device, other, 256, NULL));
	CALL(cuMemcpy((CUdeviceptr)host, (CUdeviceptr)more, 512));
}

static void blocks(void)
{
	CUDA_MEMCPY2D flat = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcPitch = 64,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device, .dstPitch = 64,
		.WidthInBytes = 32, .Height = 32,
	};
	CUDA_MEMCPY3D deep = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device, .srcPitch = 16, .srcHeight = 16,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = (CUdeviceptr)host, .dstPitch = 16,
		.dstHeight = 16, .WidthInBytes = 16, .Height = 16, .Depth = 8,
	};

	CALL(cuMemcpy2D_v2(&flat));
	CALL(cuMemcpy3D_v2(&deep));
}

static void batch(void)
{
	CUdeviceptr to[] = { device, (CUdeviceptr)host }, from[] = { (CUdeviceptr)host, device };
	size_t sizes[] = { 4096, 8192 }, first = 0;
	CUmemcpyAttributes attributes = { .srcAccessOrder = 1 };
	CUstream stream;

	CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CALL(cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &first, 1, stream));
	CALL(cuStreamSynchronize(stream));
}

static void arrays(void)
{
	const CUDA_ARRAY_DESCRIPTOR room = {
		.Width = ROOM / ROWS / 16, .Height = ROWS, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4,
	};
	CUDA_MEMCPY2D flat = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcPitch = ROOM / ROWS,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .WidthInBytes = ROOM / ROWS, .Height = ROWS,
	};
	CUarray array, second;

	CALL(cuArrayCreate_v2(&array, &room));
	CALL(cuArrayCreate_v2(&second, &room));
	flat.dstArray = array;
	CALL(cuMemcpyHtoA_v2(array, 0, host, 1 << 15));
	CALL(cuMemcpyHtoAAsync_v2(array, 0, host, 1 << 16, NULL));
	CALL(cuMemcpyAtoH_v2(host, array, 0, 1 << 17));
	CALL(cuMemcpyAtoHAsync_v2(host, array, 0, 1 << 18, NULL));
	CALL(cuMemcpyDtoA_v2(array, 0, device, 1 << 19));
	CALL(cuMemcpyAtoD_v2(device, array, 0, 1 << 20));
	CALL(cuMemcpyAtoA_v2(second, 0, array, 0, 1 << 21));
	CALL(cuMemcpy2D_v2(&flat));
}

static void peers(void)
{
	const CUDA_MEMCPY3D_PEER deep = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = other, .srcContext = context, .srcPitch = 1 << 10,
		.srcHeight = 1 << 10, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device,
		.dstContext = context, .dstPitch = 1 << 10, .dstHeight = 1 << 10,
		.WidthInBytes = 1 << 10, .Height = 1 << 10, .Depth = 8,
	};

	CALL(cuMemcpyPeer(device, context, other, context, 1 << 22));
	CALL(cuMemcpy3DPeer(&deep));
}

int main(void)
{
	start();
	plain();
	unified();
	blocks();
	batch();
	arrays();
	peers();
	/* What fails copies nothing. */
	if (!cuMemcpyHtoD_v2(3, host, 16384))
		_exit(71);
	printf("%d failed\n", failed);
	return 0;
}
