/* SPDX-License-Identifier: Apache-2.0 */
/* The first versions of functions: addresses and sizes of 32 bits. */
#include "sim/sim.h"

#include <sys/mman.h>

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

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
