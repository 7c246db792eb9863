/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of bytes in a row: host to device, peers, unified addresses, batches. */
#include "sim/sim.h"

#include <string.h>

CUresult copy_begin(CUstream hStream)
{
	CUstream stream;

	return stream_find(hStream, &stream);
}

/* One end of a copy: memory the driver must know, or any, all of which it knows if it does. */
static CUresult check(CUdeviceptr at, size_t size, bool known)
{
	struct range range;

	if (known || range_find(at, &range))
		return range_check(at, size);
	return at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy(CUdeviceptr dst, bool known_dst, CUdeviceptr src, bool known_src,
		     size_t size, CUstream stream)
{
	CUresult rc = copy_begin(stream);

	if (rc || !size)
		return rc;
	rc = check(dst, size, known_dst);
	if (!rc)
		rc = check(src, size, known_src);
	if (!rc)
		memmove(pointer(dst), pointer(src), size);
	return rc;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
			      size_t ByteCount, CUstream hStream)
{
	return copy(dstDevice, true, (uintptr_t)srcHost, false, ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream)
{
	return copy((uintptr_t)dstHost, false, srcDevice, true, ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream)
{
	return copy(dstDevice, true, srcDevice, true, ByteCount, hStream);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
		       CUstream hStream)
{
	return copy(dst, false, src, false, ByteCount, hStream);
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
