/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts made and destroyed, with all that is in them. */
#include "sim/image.h"

void context_stop(CUcontext context)
{
	struct object *object;
	struct range range;
	size_t cursor = 0;

	atomic_store(&context->alive, false);
	while ((object = object_next(context, &cursor))) {
		enum kind kind = object->kind;

		/* A function goes with its module. */
		if (kind == KIND_FUNCTION || !object_retire(object, kind))
			continue;
		if (kind == KIND_ARRAY)
			array_drop((CUarray)object);
		else if (kind == KIND_MODULE)
			module_drop((CUmodule)object);
		object_free(object);
	}
	while (range_take_of(context, &range))
		memory_drop(&range);
}

/*
 * A context's object is not used again, so that threads which still have it
 * current are answered CONTEXT_IS_DESTROYED for ever.
 */
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	CUcontext context;
	CUresult rc;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!pctx || flags & ~(unsigned int)CU_CTX_FLAGS_MASK ||
	    (flags & CU_CTX_SCHED_MASK) == 3 ||
	    (flags & CU_CTX_SCHED_MASK) > 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_valid(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	context = object_new(KIND_CONTEXT, NULL);
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = context_start(context, dev, flags);
	if (!rc)
		rc = cuCtxPushCurrent_v2(context);
	if (rc) {
		context_stop(context);
		return rc;
	}
	*pctx = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray,
			int numParams, unsigned int flags, CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (numParams < 0 || (numParams && !paramsArray))
		return CUDA_ERROR_INVALID_VALUE;
	if (numParams)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
			unsigned int flags, CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (ctxCreateParams && ctxCreateParams->cigParams)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (ctxCreateParams && ctxCreateParams->numExecAffinityParams)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext ctx)
{
	CUcontext context;
	CUresult rc;
	bool alive = true;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	rc = context_find(ctx, &context);
	if (rc)
		return rc;
	if (context->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!atomic_compare_exchange_strong(&context->alive, &alive, false))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	context_stop(context);
	if (context_top == context)
		cuCtxPopCurrent_v2(NULL);
	return CUDA_SUCCESS;
}
