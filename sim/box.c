/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rectangles and boxes between host memory, device memory and arrays. */
#include "sim/sim.h"

#include <string.h>

/* One end of a copy: where its first byte is, and the steps to the others. */
struct end {
	char *base;
	size_t pitch;
	size_t slice;
};

static CUresult array_end(CUarray handle, size_t x, size_t y, size_t z,
			  const CUDA_MEMCPY3D *box, struct end *end)
{
	CUarray array = object_find(handle, KIND_ARRAY);

	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	if (x > array->pitch || box->WidthInBytes > array->pitch - x ||
	    y > array->rows || box->Height > array->rows - y ||
	    z > array->slices || box->Depth > array->slices - z)
		return CUDA_ERROR_INVALID_VALUE;
	end->pitch = array->pitch;
	end->slice = array->pitch * array->rows;
	end->base = array->data + z * end->slice + y * end->pitch + x;
	return CUDA_SUCCESS;
}

static CUresult linear_end(uintptr_t base, size_t pitch, size_t height,
			   size_t x, size_t y, size_t z,
			   const CUDA_MEMCPY3D *box, bool device,
			   struct end *end)
{
	size_t width, rows, slices, bytes;
	struct range range;

	if (!base ||
	    __builtin_add_overflow(x, box->WidthInBytes, &width) ||
	    __builtin_add_overflow(y, box->Height, &rows) ||
	    __builtin_add_overflow(z, box->Depth, &slices))
		return CUDA_ERROR_INVALID_VALUE;
	if (!pitch)
		pitch = width;
	if (!height)
		height = rows;
	if (width > pitch || (box->Depth > 1 && rows > height))
		return CUDA_ERROR_INVALID_VALUE;
	/* Nothing below is more than this. */
	if (__builtin_mul_overflow(pitch, rows > height ? rows : height,
				   &bytes) ||
	    __builtin_mul_overflow(bytes, slices, &bytes) ||
	    __builtin_add_overflow(bytes, base, &bytes))
		return CUDA_ERROR_INVALID_VALUE;
	end->pitch = pitch;
	end->slice = pitch * height;
	end->base = (char *)base + z * end->slice + y * pitch + x;
	bytes = (box->Depth - 1) * end->slice + (box->Height - 1) * pitch +
		box->WidthInBytes;
	if (device || range_find(base, &range))
		return range_check((uintptr_t)end->base, bytes);
	return CUDA_SUCCESS;
}

/* One side of a copy; from is what its members begin with, src or dst. */
#define END_OF(box, from, end) \
	end_of(box, (box)->from##MemoryType, (box)->from##Array, (uintptr_t)(box)->from##Host, \
	       (box)->from##Device, (box)->from##Pitch, (box)->from##Height, \
	       (box)->from##XInBytes, (box)->from##Y, (box)->from##Z, end)

static CUresult end_of(const CUDA_MEMCPY3D *box, CUmemorytype type, CUarray array, uintptr_t host,
		       CUdeviceptr device, size_t pitch, size_t height, size_t x, size_t y,
		       size_t z, struct end *end)
{
	switch (type) {
	case CU_MEMORYTYPE_ARRAY:
		return array_end(array, x, y, z, box, end);
	case CU_MEMORYTYPE_HOST:
		return linear_end(host, pitch, height, x, y, z, box, false, end);
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		return linear_end(device, pitch, height, x, y, z, box,
				  type == CU_MEMORYTYPE_DEVICE, end);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult box_copy(const CUDA_MEMCPY3D *box)
{
	struct end src, dst;
	CUresult rc;

	if (!box || box->srcLOD || box->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	if (!box->WidthInBytes || !box->Height || !box->Depth)
		return CUDA_SUCCESS;
	rc = END_OF(box, src, &src);
	if (!rc)
		rc = END_OF(box, dst, &dst);
	if (rc)
		return rc;
	for (size_t z = 0; z < box->Depth; z++)
		for (size_t y = 0; y < box->Height; y++)
			memmove(dst.base + z * dst.slice + y * dst.pitch,
				src.base + z * src.slice + y * src.pitch,
				box->WidthInBytes);
	return CUDA_SUCCESS;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	return rc ? rc : box_copy(pCopy);
}

/* The members that all structures have which describe a copy. */
#define FLAT(copy) \
	.srcXInBytes = (copy)->srcXInBytes, .srcY = (copy)->srcY, \
	.srcMemoryType = (copy)->srcMemoryType, .srcHost = (copy)->srcHost, \
	.srcDevice = (copy)->srcDevice, .srcArray = (copy)->srcArray, \
	.srcPitch = (copy)->srcPitch, \
	.dstXInBytes = (copy)->dstXInBytes, .dstY = (copy)->dstY, \
	.dstMemoryType = (copy)->dstMemoryType, .dstHost = (copy)->dstHost, \
	.dstDevice = (copy)->dstDevice, .dstArray = (copy)->dstArray, \
	.dstPitch = (copy)->dstPitch, \
	.WidthInBytes = (copy)->WidthInBytes, .Height = (copy)->Height

/* And those of them that have a third dimension. */
#define CUBIC(copy) \
	FLAT(copy), \
	.srcZ = (copy)->srcZ, .srcLOD = (copy)->srcLOD, .srcHeight = (copy)->srcHeight, \
	.dstZ = (copy)->dstZ, .dstLOD = (copy)->dstLOD, .dstHeight = (copy)->dstHeight, \
	.Depth = (copy)->Depth

/* A copy that another structure describes. */
#define COPIER(symbol, type, ...) \
	CUresult symbol(const type *copy, CUstream stream) \
	{ \
		CUDA_MEMCPY3D box; \
\
		if (!copy) \
			return cuMemcpy3DAsync_v2(NULL, stream); \
		box = (CUDA_MEMCPY3D){ __VA_ARGS__ }; \
		return cuMemcpy3DAsync_v2(&box, stream); \
	}

COPIER(cuMemcpy2DAsync, CUDA_MEMCPY2D_v1, FLAT(copy), .Depth = 1)
COPIER(cuMemcpy2DAsync_v2, CUDA_MEMCPY2D, FLAT(copy), .Depth = 1)
COPIER(cuMemcpy3DAsync, CUDA_MEMCPY3D_v1, CUBIC(copy))

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
	CUresult rc = copy_begin(hStream);
	CUcontext context;
	CUDA_MEMCPY3D box;

	if (rc)
		return rc;
	if (!pCopy)
		return CUDA_ERROR_INVALID_VALUE;
	rc = context_find(pCopy->srcContext, &context);
	if (!rc)
		rc = context_find(pCopy->dstContext, &context);
	if (rc)
		return rc;
	/* The contexts stand where the other structure has reserved words. */
	static_assert(sizeof(box) == sizeof(*pCopy), "one layout");
	memcpy(&box, pCopy, sizeof(box));
	return box_copy(&box);
}
