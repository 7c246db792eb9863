/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: allocated on the host, counted against the device's size. */
#include "sim/sim.h"

#include <sys/mman.h>

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

enum { GRANULARITY = 512, PITCH = 512 };

static size_t charged(size_t size)
{
	return (size + GRANULARITY - 1) & ~(size_t)(GRANULARITY - 1);
}

static bool counted(enum range_kind kind)
{
	return kind == RANGE_DEVICE || kind == RANGE_GLOBAL;
}

CUresult memory_new(struct range *range, size_t size, int map_flags)
{
	bool count = counted(range->kind);
	CUresult rc;
	void *mem;

	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	if (size > SIZE_MAX / 2)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (count && !device_take(range->device, charged(size)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | map_flags,
		   -1, 0);
	rc = CUDA_ERROR_OUT_OF_MEMORY;
	if (mem != MAP_FAILED) {
		range->start = (uintptr_t)mem;
		range->size = size;
		rc = range_add(range);
		if (!rc)
			return CUDA_SUCCESS;
		munmap(mem, size);
	}
	if (count)
		device_give(range->device, charged(size));
	return rc;
}

CUresult memory_current(struct range *range, bool valid, size_t size, int map_flags)
{
	CUresult rc = context_current(&range->context);

	if (rc)
		return rc;
	range->device = range->context->device;
	return valid ? memory_new(range, size, map_flags) : CUDA_ERROR_INVALID_VALUE;
}

void memory_drop(const struct range *range)
{
	if (range->kind == RANGE_REGISTERED)
		return;
	if (range->pool)
		atomic_fetch_sub(&range->pool->used, range->size);
	munmap((void *)range->start, range->size);
	if (counted(range->kind))
		device_give(range->device, charged(range->size));
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
	struct range range = { .kind = RANGE_DEVICE };
	CUresult rc = memory_current(&range, dptr, bytesize, 0);

	if (!rc)
		*dptr = range.start;
	return sim_failed(rc, "cuMemAlloc_v2", bytesize ? NULL : "Requested 0 byte allocation");
}

/* The first versions have addresses and sizes of 32 bits. */
CUresult cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize)
{
	struct range range = { .kind = RANGE_DEVICE };
	CUresult rc = memory_current(&range, dptr, bytesize, MAP_32BIT);

	if (!rc && range.start > UINT32_MAX) {
		cuMemFree_v2(range.start);
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!rc)
		*dptr = (CUdeviceptr_v1)range.start;
	return rc;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch,
			    size_t WidthInBytes, size_t Height,
			    unsigned int ElementSizeBytes)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	size_t pitch, size;

	if (rc)
		return rc;
	if (!dptr || !pPitch || !WidthInBytes || !Height ||
	    (ElementSizeBytes != 4 && ElementSizeBytes != 8 &&
	     ElementSizeBytes != 16))
		return CUDA_ERROR_INVALID_VALUE;
	pitch = (WidthInBytes + PITCH - 1) & ~(size_t)(PITCH - 1);
	if (pitch < WidthInBytes || __builtin_mul_overflow(pitch, Height, &size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = cuMemAlloc_v2(dptr, size);
	if (!rc)
		*pPitch = pitch;
	return rc;
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize,
			   unsigned int flags)
{
	struct range range = { .kind = RANGE_MANAGED, .flags = flags };
	bool valid = dptr && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
	CUresult rc = memory_current(&range, valid, bytesize, 0);

	if (!rc)
		*dptr = range.start;
	return rc;
}

CUresult cuMemFree_v2(CUdeviceptr dptr)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	struct range range;

	if (rc || !dptr)
		return rc;
	if (!range_take(dptr, RANGE_DEVICE | RANGE_MANAGED, &range))
		return CUDA_ERROR_INVALID_VALUE;
	memory_drop(&range);
	return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (free)
		*free = sim_config.memory - device_used(context->device);
	if (total)
		*total = sim_config.memory;
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

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize,
				 CUdeviceptr dptr)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	struct range range;

	if (rc)
		return rc;
	if (!range_find(dptr, &range))
		return CUDA_ERROR_NOT_FOUND;
	if (pbase)
		*pbase = range.start;
	if (psize)
		*psize = range.size;
	return CUDA_SUCCESS;
}
