/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver knows of an address. */
#include "sim/sim.h"

#include <string.h>

static bool on_host(const struct range *range)
{
	return range->kind & (RANGE_HOST | RANGE_REGISTERED);
}

static CUresult put(void *data, const void *value, size_t size)
{
	memcpy(data, value, size);
	return CUDA_SUCCESS;
}

#define PUT(type, value) put(data, &(type){ value }, sizeof(type))

static CUresult get(const struct range *range, CUpointer_attribute attribute,
		    CUdeviceptr ptr, void *data)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		return PUT(CUcontext, range->context);
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		return PUT(unsigned int, on_host(range) ?
			   CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		return PUT(CUdeviceptr, ptr);
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (!on_host(range) && range->kind != RANGE_MANAGED)
			return CUDA_ERROR_INVALID_VALUE;
		return PUT(void *, pointer(ptr));
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		return PUT(int, 0);
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		return PUT(unsigned long long, range->id);
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		return PUT(int, range->kind == RANGE_MANAGED ||
			   (range->kind == RANGE_GLOBAL && range->flags));
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		return PUT(int, range->device);
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		return PUT(int, 0);
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		return PUT(CUdeviceptr, range->start);
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		return PUT(size_t, range->size);
	case CU_POINTER_ATTRIBUTE_MAPPED:
		return PUT(int, 1);
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		return PUT(cuuint64_t, 0);
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		return PUT(int, range->kind == RANGE_MAPPED ?
			   (int)range->access[range->device] :
			   CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		return PUT(CUmemoryPool, range->pool);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
			       CUdeviceptr ptr)
{
	struct range range;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!data || !range_find(ptr, &range))
		return CUDA_ERROR_INVALID_VALUE;
	return get(&range, attribute, ptr, data);
}

static size_t size_of(CUpointer_attribute attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		return 8;
	default:
		return 4;
	}
}

/* An address that is not known succeeds here, and all its values are zero. */
CUresult cuPointerGetAttributes(unsigned int numAttributes,
				CUpointer_attribute *attributes, void **data,
				CUdeviceptr ptr)
{
	struct range range;
	bool known;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!numAttributes || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	known = range_find(ptr, &range);
	for (unsigned int i = 0; i < numAttributes; i++) {
		if (attributes[i] == CU_POINTER_ATTRIBUTE_P2P_TOKENS ||
		    !data[i])
			return CUDA_ERROR_INVALID_VALUE;
		memset(data[i], 0, size_of(attributes[i]));
		if (known)
			get(&range, attributes[i], ptr, data[i]);
		else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
			put(data[i], &(int){ CU_DEVICE_INVALID }, sizeof(int));
	}
	return CUDA_SUCCESS;
}
