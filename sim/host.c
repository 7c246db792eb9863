/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that devices can reach: allocated by the driver, or registered. */
#include "sim/sim.h"

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	struct range range = { .kind = RANGE_HOST, .flags = Flags };
	CUresult rc = memory_current(&range, pp && !(Flags & ~7u), bytesize, 0);

	if (!rc)
		*pp = (void *)range.start;
	return rc;
}

CUresult cuMemFreeHost(void *p)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	struct range range;

	if (rc || !p)
		return rc;
	if (!range_take((uintptr_t)p, RANGE_HOST, &range))
		return CUDA_ERROR_INVALID_VALUE;
	memory_drop(&range);
	return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
	struct range range = {
		.kind = RANGE_REGISTERED,
		.start = (uintptr_t)p,
		.size = bytesize,
		.flags = Flags,
	};
	CUresult rc = context_current(&range.context);

	if (rc)
		return rc;
	if (!p || !bytesize || Flags & ~0xfu ||
	    (uintptr_t)p + bytesize < (uintptr_t)p)
		return CUDA_ERROR_INVALID_VALUE;
	range.device = range.context->device;
	rc = range_add(&range);
	return rc == CUDA_ERROR_INVALID_VALUE ?
		CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : rc;
}

CUresult cuMemHostUnregister(void *p)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	struct range range;

	if (rc)
		return rc;
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (!range_take((uintptr_t)p, RANGE_REGISTERED, &range))
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	return CUDA_SUCCESS;
}

static CUresult find(const void *p, struct range *range)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!range_find((uintptr_t)p, range) ||
	    !(range->kind & (RANGE_HOST | RANGE_REGISTERED)))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Addresses are the same on both sides. */
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p,
				      unsigned int Flags)
{
	struct range range;
	CUresult rc = find(p, &range);

	if (rc)
		return rc;
	if (!pdptr || Flags)
		return CUDA_ERROR_INVALID_VALUE;
	*pdptr = (uintptr_t)p;
	return CUDA_SUCCESS;
}

GETTER(cuMemHostGetFlags, (unsigned int *out, void *p), struct range range,
       find(p, &range), range.flags)
