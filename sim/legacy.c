/* SPDX-License-Identifier: Apache-2.0 */
/* The first versions of functions: addresses and sizes of 32 bits. */
#include "sim/sim.h"

#include <sys/mman.h>

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

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
	if (rc)
		return rc;
	if (range.start > UINT32_MAX) {
		cuMemFree_v2(range.start);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*dptr = (CUdeviceptr_v1)range.start;
	return CUDA_SUCCESS;
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

CUresult cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch,
		      unsigned char uc, unsigned int Width,
		      unsigned int Height)
{
	return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch,
		       unsigned short us, unsigned int Width,
		       unsigned int Height)
{
	return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch,
		       unsigned int ui, unsigned int Width,
		       unsigned int Height)
{
	return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}

CUresult cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset,
		      const void *srcHost, unsigned int ByteCount)
{
	return cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}

CUresult cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
		      unsigned int ByteCount)
{
	return cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset,
			   const void *srcHost, unsigned int ByteCount,
			   CUstream hStream)
{
	return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount,
				    hStream);
}

CUresult cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray,
			   unsigned int srcOffset, unsigned int ByteCount,
			   CUstream hStream)
{
	return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount,
				    hStream);
}

CUresult cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset,
		      CUdeviceptr_v1 srcDevice, unsigned int ByteCount)
{
	return cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}

CUresult cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray,
		      unsigned int srcOffset, unsigned int ByteCount)
{
	return cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset,
		      CUarray srcArray, unsigned int srcOffset,
		      unsigned int ByteCount)
{
	return cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset,
			       ByteCount);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream)
{
	CUDA_MEMCPY2D copy;

	if (!pCopy)
		return cuMemcpy2DAsync_v2(NULL, hStream);
	copy = (CUDA_MEMCPY2D){
		.srcXInBytes = pCopy->srcXInBytes,
		.srcY = pCopy->srcY,
		.srcMemoryType = pCopy->srcMemoryType,
		.srcHost = pCopy->srcHost,
		.srcDevice = pCopy->srcDevice,
		.srcArray = pCopy->srcArray,
		.srcPitch = pCopy->srcPitch,
		.dstXInBytes = pCopy->dstXInBytes,
		.dstY = pCopy->dstY,
		.dstMemoryType = pCopy->dstMemoryType,
		.dstHost = pCopy->dstHost,
		.dstDevice = pCopy->dstDevice,
		.dstArray = pCopy->dstArray,
		.dstPitch = pCopy->dstPitch,
		.WidthInBytes = pCopy->WidthInBytes,
		.Height = pCopy->Height,
	};
	return cuMemcpy2DAsync_v2(&copy, hStream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy)
{
	return cuMemcpy2DAsync(pCopy, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy)
{
	return cuMemcpy2DAsync(pCopy, NULL);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream)
{
	CUDA_MEMCPY3D copy;

	if (!pCopy)
		return cuMemcpy3DAsync_v2(NULL, hStream);
	copy = (CUDA_MEMCPY3D){
		.srcXInBytes = pCopy->srcXInBytes,
		.srcY = pCopy->srcY,
		.srcZ = pCopy->srcZ,
		.srcLOD = pCopy->srcLOD,
		.srcMemoryType = pCopy->srcMemoryType,
		.srcHost = pCopy->srcHost,
		.srcDevice = pCopy->srcDevice,
		.srcArray = pCopy->srcArray,
		.srcPitch = pCopy->srcPitch,
		.srcHeight = pCopy->srcHeight,
		.dstXInBytes = pCopy->dstXInBytes,
		.dstY = pCopy->dstY,
		.dstZ = pCopy->dstZ,
		.dstLOD = pCopy->dstLOD,
		.dstMemoryType = pCopy->dstMemoryType,
		.dstHost = pCopy->dstHost,
		.dstDevice = pCopy->dstDevice,
		.dstArray = pCopy->dstArray,
		.dstPitch = pCopy->dstPitch,
		.dstHeight = pCopy->dstHeight,
		.WidthInBytes = pCopy->WidthInBytes,
		.Height = pCopy->Height,
		.Depth = pCopy->Depth,
	};
	return cuMemcpy3DAsync_v2(&copy, hStream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy)
{
	return cuMemcpy3DAsync(pCopy, NULL);
}

CUresult cuArrayCreate(CUarray *pHandle,
		       const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray)
{
	CUDA_ARRAY_DESCRIPTOR d;

	if (!pAllocateArray)
		return cuArrayCreate_v2(pHandle, NULL);
	d = (CUDA_ARRAY_DESCRIPTOR){
		.Width = pAllocateArray->Width,
		.Height = pAllocateArray->Height,
		.Format = pAllocateArray->Format,
		.NumChannels = pAllocateArray->NumChannels,
	};
	return cuArrayCreate_v2(pHandle, &d);
}

CUresult cuArray3DCreate(CUarray *pHandle,
			 const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	if (!pAllocateArray)
		return cuArray3DCreate_v2(pHandle, NULL);
	d = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = pAllocateArray->Width,
		.Height = pAllocateArray->Height,
		.Depth = pAllocateArray->Depth,
		.Format = pAllocateArray->Format,
		.NumChannels = pAllocateArray->NumChannels,
		.Flags = pAllocateArray->Flags,
	};
	return cuArray3DCreate_v2(pHandle, &d);
}
