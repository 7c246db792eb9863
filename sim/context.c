/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: made and destroyed, and the stack of them each thread has. */
#include "sim/image.h"

#include <stdlib.h>

/* What lies under context_top. */
struct below {
	CUcontext context;
	struct below *next;
};

__thread CUcontext context_top __attribute__((tls_model("initial-exec")));
static __thread struct below *stack
	__attribute__((tls_model("initial-exec")));

static_assert(sizeof(struct CUctx_st) <= OBJECT_SIZE, "fits an object");

CUresult context_find(CUcontext handle, CUcontext *context)
{
	if (!handle)
		return context_current(context);
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	handle = object_find(handle, KIND_CONTEXT);
	if (!handle)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!atomic_load(&handle->alive))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*context = handle;
	return CUDA_SUCCESS;
}

static CUstream default_stream(CUcontext context)
{
	CUstream stream = object_new(KIND_STREAM, context);

	if (stream)
		stream->id = sim_id();
	return stream;
}

CUresult context_start(CUcontext context, CUdevice device, unsigned int flags)
{
	context->id = sim_id();
	context->device = device;
	context->flags = flags;
	context->version = 3020;
	context->cache = 0;
	context->shared = 0;
	atomic_store(&context->busy_until, 0);
	atomic_store(&context->peers, 0);
	limit_defaults(context);
	context->legacy = default_stream(context);
	context->per_thread = default_stream(context);
	if (!context->legacy || !context->per_thread)
		return CUDA_ERROR_OUT_OF_MEMORY;
	atomic_store(&context->alive, true);
	return CUDA_SUCCESS;
}

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
	while (range_take_of(context, NULL, &range))
		memory_drop(&range);
}

/*
 * A context's object is not used again, so that threads which still have it
 * current are answered CONTEXT_IS_DESTROYED for ever.
 */
static CUresult create(CUcontext *pctx, unsigned int flags, CUdevice dev)
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

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	return create(pctx, flags, dev);
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
	return create(pctx, flags, dev);
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
	return create(pctx, flags, dev);
}

static void pop(void)
{
	struct below *under = stack;

	context_top = NULL;
	if (!under)
		return;
	context_top = under->context;
	stack = under->next;
	free(under);
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
		pop();
	return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
	CUcontext context;
	struct below *under;
	CUresult rc;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	rc = context_find(ctx, &context);
	if (rc)
		return rc;
	if (context_top) {
		under = malloc(sizeof(*under));
		if (!under)
			return CUDA_ERROR_OUT_OF_MEMORY;
		under->context = context_top;
		under->next = stack;
		stack = under;
	}
	context_top = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!context_top)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (pctx)
		*pctx = context_top;
	pop();
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	CUcontext context;
	CUresult rc;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx) {
		pop();
		return CUDA_SUCCESS;
	}
	rc = context_find(ctx, &context);
	if (!rc)
		context_top = context;
	return rc;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	*pctx = context_top;
	return CUDA_SUCCESS;
}

GETTER(cuCtxGetDevice_v2, (CUdevice *out, CUcontext handle), CUcontext context,
       context_find(handle, &context), context->device)
GETTER(cuCtxGetId, (CUcontext handle, unsigned long long *out), CUcontext context,
       context_find(handle, &context), context->id)
GETTER(cuCtxGetApiVersion, (CUcontext handle, unsigned int *out), CUcontext context,
       context_find(handle, &context), context->version)

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
	CUcontext context;
	CUresult rc = context_find(ctx, &context);
	uint64_t busy;

	if (rc)
		return rc;
	busy = atomic_load_explicit(&context->busy_until,
				    memory_order_relaxed);
	if (busy)
		sim_wait(busy);
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	return cuCtxSynchronize_v2(NULL);
}
