/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: work is done at once, and takes its time on the stream's clock. */
#include "sim/sim.h"

static_assert(sizeof(struct CUstream_st) <= OBJECT_SIZE, "fits an object");

CUresult stream_find(CUstream handle, CUstream *stream)
{
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!handle || handle == CU_STREAM_LEGACY)
		*stream = context->legacy;
	else if (handle == CU_STREAM_PER_THREAD)
		*stream = context->per_thread;
	else
		*stream = object_find(handle, KIND_STREAM);
	return *stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static uint64_t later(_Atomic uint64_t *time, uint64_t then)
{
	uint64_t was = atomic_load(time);

	while (was < then && !atomic_compare_exchange_weak(time, &was, then))
		;
	return was;
}

uint64_t stream_work(CUstream stream, uint64_t ns)
{
	uint64_t now = sim_now(), start = atomic_load(&stream->busy_until);

	if (start < now)
		start = now;
	if (ns) {
		if (sim_config.clock)
			start = sim_clock_add(stream->object.context->device, start, ns);
		later(&stream->busy_until, start + ns);
		later(&stream->object.context->busy_until, start + ns);
	}
	return start + ns;
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags,
				    int priority)
{
	CUcontext context;
	CUstream stream;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!phStream || flags & ~(unsigned int)CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	stream = object_new(KIND_STREAM, context);
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->id = sim_id();
	stream->flags = flags;
	stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
	*phStream = stream;
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream hStream)
{
	CUstream stream;
	CUresult rc = context_object(hStream, KIND_STREAM, &stream);

	return rc ? rc : object_destroy(stream, KIND_STREAM);
}

/* When all that it was given is done, 0 if that is nothing; the default stream, when all of its context's are. */
static CUresult done_at(CUstream handle, uint64_t *time)
{
	CUstream stream;
	CUresult rc = stream_find(handle, &stream);
	CUcontext context;

	*time = 0;
	if (rc)
		return rc;
	context = stream->object.context;
	*time = atomic_load_explicit(stream == context->legacy ?
				     &context->busy_until : &stream->busy_until,
				     memory_order_relaxed);
	return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream hStream)
{
	uint64_t done;
	CUresult rc = done_at(hStream, &done);

	return !rc && done > sim_now() ? CUDA_ERROR_NOT_READY : rc;
}

CUresult cuStreamSynchronize(CUstream hStream)
{
	uint64_t done;
	CUresult rc = done_at(hStream, &done);

	if (done)
		sim_wait(done);
	return rc;
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent,
			   unsigned int Flags)
{
	CUstream stream;
	CUevent event;
	CUresult rc = stream_find(hStream, &stream);

	if (rc)
		return rc;
	if (Flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	event = object_find(hEvent, KIND_EVENT);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	later(&stream->busy_until, atomic_load(&event->done_at));
	return CUDA_SUCCESS;
}

#define STREAM_GETTER(symbol, type, value) \
	GETTER(symbol, (CUstream handle, type *out), CUstream stream, \
	       stream_find(handle, &stream), value)

STREAM_GETTER(cuStreamGetPriority, int, stream->priority)
STREAM_GETTER(cuStreamGetId, unsigned long long, stream->id)
STREAM_GETTER(cuStreamGetFlags, unsigned int, stream->flags)
STREAM_GETTER(cuStreamGetDevice, CUdevice, stream->object.context->device)
STREAM_GETTER(cuStreamGetCtx, CUcontext, stream->object.context)
STREAM_GETTER(cuStreamIsCapturing, CUstreamCaptureStatus, CU_STREAM_CAPTURE_STATUS_NONE)

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx,
			   CUgreenCtx *pGreenCtx)
{
	CUresult rc = cuStreamGetCtx(hStream, pCtx);

	if (!rc && pGreenCtx)
		*pGreenCtx = NULL;
	return rc;
}

/*
 * Both run the function at once on the calling thread, with no lock held, so
 * that exceptions and longjmp may leave it.
 */
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback,
			     void *userData, unsigned int flags)
{
	CUstream stream;
	CUresult rc = stream_find(hStream, &stream);

	if (rc)
		return rc;
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	callback(hStream, CUDA_SUCCESS, userData);
	return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	CUstream stream;
	CUresult rc = stream_find(hStream, &stream);

	if (rc)
		return rc;
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	fn(userData);
	return CUDA_SUCCESS;
}
