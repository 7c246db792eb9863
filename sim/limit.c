/* SPDX-License-Identifier: Apache-2.0 */
/* A context's settings: limits, flags, cache and shared memory, priorities. */
#include "sim/sim.h"

/* Of no use on devices of capability 9.0, or not simulated. */
static bool supported(CUlimit limit)
{
	return limit != CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH &&
	       limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE &&
	       limit < CU_LIMIT_SHMEM_SIZE;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if ((unsigned int)limit >= CU_LIMIT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (!supported(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	context->limits[limit] = value;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!pvalue || (unsigned int)limit >= CU_LIMIT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (!supported(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*pvalue = context->limits[limit];
	return CUDA_SUCCESS;
}

/* What the current context is set to, and may be set to. */
#define SETTING(get, set, type, member, valid) \
	GETTER(get, (type *out), CUcontext context, context_current(&context), \
	       (type)context->member) \
	CUresult set(type value) \
	{ \
		CUcontext context; \
		CUresult rc = context_current(&context); \
\
		if (!rc && !(valid)) \
			rc = CUDA_ERROR_INVALID_VALUE; \
		if (!rc) \
			context->member = value; \
		return rc; \
	}

SETTING(cuCtxGetFlags, cuCtxSetFlags, unsigned int, flags,
	!(value & ~(unsigned int)CU_CTX_FLAGS_MASK))
SETTING(cuCtxGetCacheConfig, cuCtxSetCacheConfig, CUfunc_cache, cache,
	(unsigned int)value <= CU_FUNC_CACHE_PREFER_EQUAL)
SETTING(cuCtxGetSharedMemConfig, cuCtxSetSharedMemConfig, CUsharedconfig, shared,
	(unsigned int)value <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)

CUresult cuCtxGetStreamPriorityRange(int *leastPriority,
				     int *greatestPriority)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (leastPriority)
		*leastPriority = 0;
	if (greatestPriority)
		*greatestPriority = -5;
	return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	CUcontext context;

	return context_current(&context);
}
