/* SPDX-License-Identifier: Apache-2.0 */
/* Hints about managed memory: checked, and without effect on one memory. */
#include "sim/sim.h"

/* Managed memory, all of [addr, addr + count). */
static CUresult check(CUdeviceptr addr, size_t count)
{
	struct range range;
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!count || !range_find(addr, &range) ||
	    range.kind != RANGE_MANAGED ||
	    count > range.size - (addr - range.start))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult check_location(CUmemLocation location)
{
	switch (location.type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		return device_valid(location.id) ? CUDA_SUCCESS :
						   CUDA_ERROR_INVALID_DEVICE;
	case CU_MEM_LOCATION_TYPE_HOST:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUmemLocation location_of(CUdevice device)
{
	return (CUmemLocation){
		.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST :
						  CU_MEM_LOCATION_TYPE_DEVICE,
		.id = device,
	};
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count,
			       CUmemLocation location, unsigned int flags,
			       CUstream hStream)
{
	CUresult rc = copy_begin(hStream);

	if (!rc)
		rc = check(devPtr, count);
	if (!rc)
		rc = check_location(location);
	return !rc && flags ? CUDA_ERROR_INVALID_VALUE : rc;
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count,
			    CUdevice dstDevice, CUstream hStream)
{
	return cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0,
				     hStream);
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count,
			CUmem_advise advice, CUmemLocation location)
{
	CUresult rc = check(devPtr, count);

	if (rc)
		return rc;
	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		return check_location(location);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
		     CUdevice device)
{
	return cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr,
				size_t length, unsigned int flags)
{
	CUresult rc = copy_begin(hStream);
	struct range range;

	if (rc)
		return rc;
	if ((flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	     flags != CU_MEM_ATTACH_SINGLE) ||
	    !range_find(dptr, &range) || range.kind != RANGE_MANAGED ||
	    (length && (dptr != range.start || length != range.size)))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
