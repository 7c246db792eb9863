/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and host functions of the simulated driver; work that takes time. */
#include "t/sim/check.h"

static CUcontext context;
static int calls;

static const char ptx[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry empty()\n{\n\tret;\n}\n";

static void host_function(void *data)
{
	*(int *)data += 1;
	calls++;
}

static void callback(CUstream stream, CUresult result, void *data)
{
	*(CUstream *)data = stream;
	calls += result == CUDA_SUCCESS;
}

static void streams(void)
{
	unsigned long long id, other;
	CUstream stream, given = NULL;
	CUcontext owner;
	unsigned int flags;
	int priority, data = 0;
	CUdevice device;

	RC(cuStreamCreate(NULL, 0), 1);
	RC(cuStreamCreate(&stream, 8), 1);
	GOOD(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -99));
	GOOD(cuStreamGetPriority(stream, &priority));
	is_int(priority, -5, "a priority is kept within its range");
	RC(cuStreamGetPriority(stream, NULL), 1);
	RC(cuStreamGetPriority((CUstream)&data, &priority), 400);
	GOOD(cuStreamGetFlags(stream, &flags));
	is_int(flags, CU_STREAM_NON_BLOCKING, "the flags");
	GOOD(cuStreamGetId(stream, &id));
	GOOD(cuStreamGetId(NULL, &other));
	ok(id != other, "ids differ");
	GOOD(cuStreamGetId_ptsz(NULL, &id));
	ok(id != other, "a NULL stream per thread is another one");
	GOOD(cuStreamGetId(CU_STREAM_PER_THREAD, &other));
	is_int((long long)id, (long long)other, "and has a handle of its own");
	GOOD(cuStreamGetCtx(stream, &owner));
	is_ptr(owner, context, "its context");
	GOOD(cuStreamGetDevice(stream, &device));
	is_int(device, 0, "its device");
	GOOD(cuStreamQuery(stream));
	GOOD(cuStreamSynchronize(stream));
	RC(cuLaunchHostFunc(stream, NULL, NULL), 1);
	GOOD(cuLaunchHostFunc(stream, host_function, &data));
	is_int(data, 1, "the host function ran");
	GOOD(cuStreamAddCallback(stream, callback, &given, 0));
	is_ptr(given, stream, "the callback got its stream");
	is_int(calls, 2, "each ran once");
	RC(cuStreamAddCallback(stream, callback, &given, 1), 1);
	GOOD(cuStreamDestroy_v2(stream));
	RC(cuStreamDestroy_v2(stream), 400);
	RC(cuStreamQuery(stream), 400);
	RC(cuStreamDestroy_v2(NULL), 400);
	RC(cuStreamSynchronize((CUstream)&data), 400);
	RC(cuStreamSynchronize((CUstream)(uintptr_t)12345), 400);
}

static void events(void)
{
	CUevent start, end, timeless;
	float ms = -1;

	RC(cuEventCreate(NULL, 0), 1);
	RC(cuEventCreate(&start, 64), 1);
	RC(cuEventCreate(&start, CU_EVENT_INTERPROCESS), 1);
	GOOD(cuEventCreate(&start, 0));
	GOOD(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
	GOOD(cuEventCreate(&timeless, CU_EVENT_DISABLE_TIMING));
	GOOD(cuEventQuery(start));
	RC(cuEventElapsedTime_v2(&ms, start, end), 400);
	GOOD(cuEventRecord(start, NULL));
	GOOD(cuEventRecord(timeless, NULL));
	RC(cuEventElapsedTime_v2(&ms, start, end), 400);
	GOOD(cuEventRecord(end, NULL));
	GOOD(cuEventElapsedTime_v2(&ms, start, end));
	ok(ms >= 0 && ms < 10000, "time goes on");
	RC(cuEventElapsedTime_v2(&ms, start, timeless), 400);
	RC(cuEventElapsedTime_v2(NULL, start, end), 1);
	GOOD(cuStreamWaitEvent(NULL, end, 0));
	RC(cuStreamWaitEvent(NULL, (CUevent)&ms, 0), 400);
	RC(cuEventRecord(end, (CUstream)end), 400);
	GOOD(cuEventDestroy_v2(end));
	RC(cuEventDestroy_v2(end), 400);
	RC(cuEventQuery(end), 400);
	GOOD(cuEventDestroy_v2(start));
	GOOD(cuEventDestroy_v2(timeless));
}

/* The test makes each kernel take 500 ms of its stream's time. */
static void busy(void)
{
	CUevent start, end;
	CUstream stream, idle;
	CUmodule module;
	CUfunction f;
	float ms;

	GOOD(cuModuleLoadData(&module, ptx));
	GOOD(cuModuleGetFunction(&f, module, "empty"));
	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	GOOD(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
	GOOD(cuEventCreate(&start, 0));
	GOOD(cuEventCreate(&end, 0));
	GOOD(cuEventRecord(start, stream));
	GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	GOOD(cuEventRecord(end, stream));
	RC(cuStreamQuery(stream), 600);
	RC(cuEventQuery(end), 600);
	RC(cuEventElapsedTime_v2(&ms, start, end), 600);
	GOOD(cuStreamQuery(idle));
	GOOD(cuStreamWaitEvent(idle, end, 0));
	RC(cuStreamQuery(idle), 600);
	GOOD(cuEventSynchronize(end));
	GOOD(cuEventQuery(end));
	GOOD(cuStreamQuery(stream));
	GOOD(cuStreamQuery(idle));
	GOOD(cuEventElapsedTime_v2(&ms, start, end));
	ok(ms >= 499 && ms < 10000, "%.0f ms between the events", (double)ms);
	GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	RC(cuStreamQuery(NULL), 600);
	GOOD(cuCtxSynchronize());
	GOOD(cuStreamQuery(stream));
}

int main(void)
{
	setenv("CUAUDIT_SIM_LAUNCH_TIME", "500000", 1);
	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&context, 0, 0));
	streams();
	events();
	busy();
	GOOD(cuCtxDestroy_v2(context));
	return done_testing();
}
