/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of one to three dimensions, and copies of bytes in a row to and from them. */
#include "sim/sim.h"

#include <string.h>
#include <sys/mman.h>

#include "tables/array.h"

static_assert(sizeof(struct CUarray_st) <= OBJECT_SIZE, "fits an object");

static CUresult shape(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	const struct array_format *format = array_format(d->Format);

	/* Those of blocks or planes, or with a number of channels of their own, are not simulated. */
	if (!format || format->channels)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!d->Width || (d->NumChannels != 1 && d->NumChannels != 2 &&
			  d->NumChannels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	if (d->Width > 131072 || d->Height > 65536 || d->Depth > 16384)
		return CUDA_ERROR_INVALID_VALUE;
	array->descriptor = *d;
	array->pitch = d->Width * d->NumChannels * format->bytes;
	array->rows = d->Height ? d->Height : 1;
	array->slices = d->Depth ? d->Depth : 1;
	return CUDA_SUCCESS;
}

static size_t size_of(CUarray array)
{
	return array->pitch * array->rows * array->slices;
}

static CUresult back(CUarray array, CUdevice device)
{
	void *mem;

	if (!device_take(device, size_of(array)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	mem = mmap(NULL, size_of(array), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED) {
		device_give(device, size_of(array));
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	array->data = mem;
	return CUDA_SUCCESS;
}

void array_drop(CUarray array)
{
	if (!array->data)
		return;
	munmap(array->data, size_of(array));
	device_give(array->object.context->device, size_of(array));
	array->data = NULL;
}

CUresult cuArray3DCreate_v2(CUarray *pHandle,
			    const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	CUcontext context;
	CUarray array;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!pHandle || !pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	if (pAllocateArray->Flags & (CUDA_ARRAY3D_SPARSE |
				     CUDA_ARRAY3D_DEFERRED_MAPPING))
		return CUDA_ERROR_NOT_SUPPORTED;
	array = object_new(KIND_ARRAY, context);
	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = shape(array, pAllocateArray);
	if (!rc)
		rc = back(array, context->device);
	if (rc) {
		object_retire(array, KIND_ARRAY);
		object_free(array);
		return rc;
	}
	*pHandle = array;
	return CUDA_SUCCESS;
}

/* One that an older or smaller structure describes. */
#define CREATOR(symbol, type, form) \
	CUresult symbol(CUarray *array, const type *given) \
	{ \
		CUDA_ARRAY3D_DESCRIPTOR descriptor; \
\
		if (!given) \
			return cuArray3DCreate_v2(array, NULL); \
		descriptor = array_describe(given, form); \
		return cuArray3DCreate_v2(array, &descriptor); \
	}

CREATOR(cuArray3DCreate, CUDA_ARRAY3D_DESCRIPTOR_v1, ARRAY_CUBE_V1)
CREATOR(cuArrayCreate, CUDA_ARRAY_DESCRIPTOR_v1, ARRAY_FLAT_V1)
CREATOR(cuArrayCreate_v2, CUDA_ARRAY_DESCRIPTOR, ARRAY_FLAT)

CUresult cuArrayDestroy(CUarray hArray)
{
	CUarray array;
	CUresult rc = context_object(hArray, KIND_ARRAY, &array);

	if (rc)
		return rc;
	if (!object_retire(array, KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	array_drop(array);
	object_free(array);
	return CUDA_SUCCESS;
}

GETTER(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR *out, CUarray handle), CUarray array,
       context_object(handle, KIND_ARRAY, &array), array->descriptor)

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor,
				 CUarray hArray)
{
	CUarray array;
	CUresult rc = context_object(hArray, KIND_ARRAY, &array);

	if (rc)
		return rc;
	if (!pArrayDescriptor)
		return CUDA_ERROR_INVALID_VALUE;
	*pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){
		.Width = array->descriptor.Width,
		.Height = array->descriptor.Height,
		.Format = array->descriptor.Format,
		.NumChannels = array->descriptor.NumChannels,
	};
	return CUDA_SUCCESS;
}

/* The bytes [offset, offset + size) of an array. */
static CUresult span(CUarray handle, size_t offset, size_t size, void **bytes)
{
	CUarray array;
	CUresult rc = context_object(handle, KIND_ARRAY, &array);

	if (rc)
		return rc;
	if (offset > size_of(array) || size > size_of(array) - offset)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = array->data + offset;
	return CUDA_SUCCESS;
}

/* Between an array and memory, the host's or what the driver must know. */
static CUresult copy(CUarray array, size_t offset, CUdeviceptr memory, bool known, bool into,
		     size_t size)
{
	void *bytes;
	CUresult rc = span(array, offset, size, &bytes);

	if (rc || !size)
		return rc;
	if (known)
		rc = range_check(memory, size);
	else if (!memory)
		rc = CUDA_ERROR_INVALID_VALUE;
	if (!rc && into)
		memcpy(bytes, pointer(memory), size);
	else if (!rc)
		memcpy(pointer(memory), bytes, size);
	return rc;
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset,
			      const void *srcHost, size_t ByteCount,
			      CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	return rc ? rc : copy(dstArray, dstOffset, (uintptr_t)srcHost, false, true, ByteCount);
}

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray,
			      size_t srcOffset, size_t ByteCount,
			      CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	return rc ? rc : copy(srcArray, srcOffset, (uintptr_t)dstHost, false, false, ByteCount);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset,
			 CUdeviceptr srcDevice, size_t ByteCount)
{
	return copy(dstArray, dstOffset, srcDevice, true, true, ByteCount);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray,
			 size_t srcOffset, size_t ByteCount)
{
	return copy(srcArray, srcOffset, dstDevice, true, false, ByteCount);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
			 size_t srcOffset, size_t ByteCount)
{
	void *from, *to;
	CUresult rc = span(srcArray, srcOffset, ByteCount, &from);

	if (!rc)
		rc = span(dstArray, dstOffset, ByteCount, &to);
	if (!rc)
		memmove(to, from, ByteCount);
	return rc;
}
