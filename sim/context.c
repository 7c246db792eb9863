/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, and the stack of them each thread has. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* What is under context_top. */
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

CUresult context_object(const void *handle, enum kind kind, void *object)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	return rc ? rc : object_get(handle, kind, object);
}

/* The limits a new one has. */
static const size_t defaults[CONTEXT_LIMITS] = {
	[CU_LIMIT_STACK_SIZE] = 1024,
	[CU_LIMIT_PRINTF_FIFO_SIZE] = 8 << 20,
	[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
	[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
	[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

static_assert((int)CU_LIMIT_MAX == (int)CONTEXT_LIMITS, "a place for each");

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
	memcpy(context->limits, defaults, sizeof(defaults));
	context->legacy = default_stream(context);
	context->per_thread = default_stream(context);
	if (!context->legacy || !context->per_thread)
		return CUDA_ERROR_OUT_OF_MEMORY;
	atomic_store(&context->alive, true);
	return CUDA_SUCCESS;
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
