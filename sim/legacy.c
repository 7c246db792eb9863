/* SPDX-License-Identifier: Apache-2.0 */
/* The first versions of functions: addresses and sizes of 32 bits. */
#include "sim/sim.h"

#include <sys/mman.h>

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize)
{
	struct range range = { .kind = RANGE_DEVICE };
	CUresult rc = context_current(&range.context);

	if (rc)
		return rc;
	if (!dptr)
		return CUDA_ERROR_INVALID_VALUE;
	range.device = range.context->device;
	rc = memory_new(&range, bytesize, MAP_32BIT);
	if (!rc)
		*dptr = (CUdeviceptr_v1)range.start;
	return rc;
}

CUresult cuMemFree(CUdeviceptr_v1 dptr)
{
	return cuMemFree_v2(dptr);
}

CUresult cuMemGetInfo(unsigned int *free, unsigned int *total)
{
	size_t free_now, all;
	CUresult rc = cuMemGetInfo_v2(&free_now, &all);

	if (rc)
		return rc;
	if (all > UINT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (free)
		*free = (unsigned int)free_now;
	if (total)
		*total = (unsigned int)all;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **pp, unsigned int bytesize)
{
	return cuMemAllocHost_v2(pp, bytesize);
}

CUresult cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost,
		      unsigned int ByteCount)
{
	return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice,
		      unsigned int ByteCount)
{
	return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
		      unsigned int ByteCount)
{
	return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
			   unsigned int ByteCount, CUstream hStream)
{
	return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice,
			   unsigned int ByteCount, CUstream hStream)
{
	return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
			   unsigned int ByteCount, CUstream hStream)
{
	return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

CUresult cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N)
{
	return cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us,
		     unsigned int N)
{
	return cuMemsetD16_v2(dstDevice, us, N);
}

CUresult cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N)
{
	return cuMemsetD32_v2(dstDevice, ui, N);
}
