/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of bytes in a row: host to device, peers, unified addresses, batches. */
#include "sim/sim.h"

#include <string.h>

/* A host address, where one that the driver knows of must hold all bytes. */
static CUresult check_host(const void *p, size_t size)
{
	struct range range;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (range_find((uintptr_t)p, &range))
		return range_check((uintptr_t)p, size);
	return CUDA_SUCCESS;
}

CUresult copy_begin(CUstream hStream)
{
	CUstream stream;

	return stream_find(hStream, &stream);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
			      size_t ByteCount, CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (rc || !ByteCount)
		return rc;
	rc = range_check(dstDevice, ByteCount);
	if (!rc)
		rc = check_host(srcHost, ByteCount);
	if (!rc)
		memmove(pointer(dstDevice), srcHost, ByteCount);
	return rc;
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (rc || !ByteCount)
		return rc;
	rc = range_check(srcDevice, ByteCount);
	if (!rc)
		rc = check_host(dstHost, ByteCount);
	if (!rc)
		memmove(dstHost, pointer(srcDevice), ByteCount);
	return rc;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (rc || !ByteCount)
		return rc;
	rc = range_check(dstDevice, ByteCount);
	if (!rc)
		rc = range_check(srcDevice, ByteCount);
	if (!rc)
		memmove(pointer(dstDevice), pointer(srcDevice), ByteCount);
	return rc;
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
		       CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (rc || !ByteCount)
		return rc;
	rc = check_host(pointer(dst), ByteCount);
	if (!rc)
		rc = check_host(pointer(src), ByteCount);
	if (!rc)
		memmove(pointer(dst), pointer(src), ByteCount);
	return rc;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
			   CUdeviceptr srcDevice, CUcontext srcContext,
			   size_t ByteCount, CUstream hStream)
{
	CUcontext context;
	CUresult rc = copy_begin(hStream);

	if (!rc)
		rc = context_find(dstContext, &context);
	if (!rc)
		rc = context_find(srcContext, &context);
	if (rc)
		return rc;
	return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

/* A batch has no order and no use for the default streams. */
static CUresult batch_check(const void *dsts, const void *srcs,
			    const size_t *sizes, size_t count,
			    const CUmemcpyAttributes *attrs,
			    const size_t *attrsIdxs, size_t numAttrs,
			    CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (rc)
		return rc;
	if (!dsts || !srcs || !sizes || !count || !attrs || !attrsIdxs ||
	    !numAttrs || numAttrs > count || attrsIdxs[0])
		return CUDA_ERROR_INVALID_VALUE;
	if (!hStream || hStream == CU_STREAM_LEGACY)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < numAttrs; i++)
		if (attrsIdxs[i] >= count ||
		    (i && attrsIdxs[i] <= attrsIdxs[i - 1]))
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs,
			    size_t *sizes, size_t count,
			    CUmemcpyAttributes *attrs, size_t *attrsIdxs,
			    size_t numAttrs, size_t *failIdx,
			    CUstream hStream)
{
	CUresult rc = batch_check(dsts, srcs, sizes, count, attrs, attrsIdxs,
				  numAttrs, hStream);

	if (failIdx)
		*failIdx = SIZE_MAX;
	for (size_t i = 0; !rc && i < count; i++) {
		rc = cuMemcpyAsync(dsts[i], srcs[i], sizes[i], hStream);
		if (rc && failIdx)
			*failIdx = i;
	}
	return rc;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs,
			       size_t *sizes, size_t count,
			       CUmemcpyAttributes *attrs, size_t *attrsIdxs,
			       size_t numAttrs, CUstream hStream)
{
	return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs,
				  numAttrs, NULL, hStream);
}
