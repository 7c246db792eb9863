/* SPDX-License-Identifier: Apache-2.0 */
/* Events: moments on a stream's clock. */
#include "sim/sim.h"

static_assert(sizeof(struct CUevent_st) <= OBJECT_SIZE, "fits an object");

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	CUcontext context;
	CUevent event;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!phEvent || Flags & ~7u ||
	    (Flags & CU_EVENT_INTERPROCESS &&
	     !(Flags & CU_EVENT_DISABLE_TIMING)))
		return CUDA_ERROR_INVALID_VALUE;
	event = object_new(KIND_EVENT, context);
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->flags = Flags;
	*phEvent = event;
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent hEvent)
{
	CUevent event;
	CUresult rc = object_get(hEvent, KIND_EVENT, &event);

	return sim_failed(rc ? rc : object_destroy(event, KIND_EVENT), "cuEventDestroy_v2", NULL);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream,
				unsigned int flags)
{
	CUstream stream;
	CUevent event;
	CUresult rc = stream_find(hStream, &stream);
	uint64_t done;

	if (!rc)
		rc = object_get(hEvent, KIND_EVENT, &event);
	if (rc)
		return rc;
	if (flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (event->object.context != stream->object.context)
		return CUDA_ERROR_INVALID_HANDLE;
	done = stream_work(stream, 0);
	atomic_store_explicit(&event->done_at, done, memory_order_relaxed);
	/* Nobody needs to read the clock again where nothing takes time. */
	atomic_store_explicit(&event->pending, sim_config.launch_ns != 0,
			      memory_order_release);
	return CUDA_SUCCESS;
}

static bool pending(CUevent event)
{
	return atomic_load_explicit(&event->pending, memory_order_acquire) &&
	       atomic_load_explicit(&event->done_at, memory_order_relaxed) >
	       sim_now();
}

CUresult cuEventQuery(CUevent hEvent)
{
	CUevent event;
	CUresult rc = object_get(hEvent, KIND_EVENT, &event);

	if (rc)
		return sim_failed(rc, "cuEventQuery", NULL);
	return pending(event) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent hEvent)
{
	CUevent event;
	CUresult rc = object_get(hEvent, KIND_EVENT, &event);

	if (!rc && pending(event))
		sim_wait(atomic_load(&event->done_at));
	return rc;
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart,
			       CUevent hEnd)
{
	CUevent start, end;
	CUresult rc = object_get(hStart, KIND_EVENT, &start);
	uint64_t from, to;

	if (!rc)
		rc = object_get(hEnd, KIND_EVENT, &end);
	if (rc)
		return rc;
	if (!pMilliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	from = atomic_load(&start->done_at);
	to = atomic_load(&end->done_at);
	if (!from || !to ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (pending(start) || pending(end))
		return CUDA_ERROR_NOT_READY;
	*pMilliseconds = (float)((double)(int64_t)(to - from) / 1e6);
	return CUDA_SUCCESS;
}
