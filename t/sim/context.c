/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the simulated driver: stacks, primary ones, limits, what dies with one. */
#include <pthread.h>

#include "t/sim/check.h"

static CUcontext first, second;

static void stack(void)
{
	CUcontext current, popped;
	CUdevice dev;
	unsigned int n;

	RC(cuCtxGetCurrent(NULL), 1);
	GOOD(cuCtxGetCurrent(&current));
	is_ptr(current, NULL, "no context yet");
	RC(cuCtxGetDevice(&dev), 201);
	RC(cuCtxSynchronize(), 201);
	RC(cuCtxPopCurrent_v2(&popped), 201);
	RC(cuCtxCreate_v2(NULL, 0, 0), 1);
	RC(cuCtxCreate_v2(&first, 0, 2), 101);
	RC(cuCtxCreate_v2(&first, 0x1000, 0), 1);
	GOOD(cuCtxCreate_v2(&first, 0, 0));
	GOOD(cuCtxCreate_v4(&second, NULL, CU_CTX_SCHED_SPIN, 1));
	GOOD(cuCtxGetCurrent(&current));
	is_ptr(current, second, "the last one made is current");
	GOOD(cuCtxGetDevice(&dev));
	is_int(dev, 1, "on its device");
	GOOD(cuCtxGetFlags(&n));
	is_int(n, CU_CTX_SCHED_SPIN, "with its flags");
	GOOD(cuCtxGetApiVersion(second, &n));
	GOOD(cuCtxPopCurrent_v2(&popped));
	is_ptr(popped, second, "popped");
	GOOD(cuCtxGetCurrent(&current));
	is_ptr(current, first, "the one below is current");
	GOOD(cuCtxPushCurrent_v2(second));
	GOOD(cuCtxSetCurrent(first));
	GOOD(cuCtxPopCurrent_v2(&popped));
	is_ptr(popped, first, "set replaces the top");
	GOOD(cuCtxGetCurrent(&current));
	is_ptr(current, first, "and leaves the rest");
	RC(cuCtxPushCurrent_v2(NULL), 201);
	RC(cuCtxPushCurrent_v2((CUcontext)&n), 201);
	RC(cuCtxSetCurrent((CUcontext)0x1234), 201);
	RC(cuCtxDestroy_v2((CUcontext)((char *)first + 8)), 201);
}

static void *elsewhere(void *result)
{
	CUcontext current = first;
	CUdeviceptr p;

	*(int *)result = cuCtxGetCurrent(&current) != 0 || current != NULL ||
			 cuMemAlloc_v2(&p, 16) != 201 ||
			 cuCtxSetCurrent(first) != 0 ||
			 cuMemAlloc_v2(&p, 16) != 0 || cuMemFree_v2(p) != 0;
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	int wrong = -1;

	pthread_create(&thread, NULL, elsewhere, &wrong);
	pthread_join(thread, NULL);
	is_int(wrong, 0, "another thread has a stack of its own");
}

static pthread_barrier_t barrier;

static void *left_behind(void *result)
{
	CUcontext current;
	CUdeviceptr p;
	int *wrong = result;

	*wrong = cuCtxSetCurrent(second) != 0;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	*wrong |= cuCtxGetCurrent(&current) != 0 || current != second;
	*wrong |= (cuMemAlloc_v2(&p, 16) != 709) << 1;
	return NULL;
}

static void destroy(void)
{
	CUstream stream;
	CUevent event;
	CUdeviceptr p;
	CUcontext current;
	pthread_t thread;
	size_t before, after, total;
	int wrong;

	GOOD(cuCtxSetCurrent(second));
	GOOD(cuMemGetInfo_v2(&before, &total));
	GOOD(cuMemAlloc_v2(&p, 1 << 20));
	GOOD(cuStreamCreate(&stream, 0));
	GOOD(cuEventCreate(&event, 0));
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, left_behind, &wrong);
	pthread_barrier_wait(&barrier);
	GOOD(cuCtxDestroy_v2(second));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	is_int(wrong, 0, "a thread that had it current is told");
	RC(cuCtxDestroy_v2(second), 709);
	GOOD(cuCtxGetCurrent(&current));
	is_ptr(current, NULL, "it was popped here");
	GOOD(cuCtxSetCurrent(first));
	RC(cuStreamQuery(stream), 400);
	RC(cuEventQuery(event), 400);
	RC(cuMemFree_v2(p), 1);
	GOOD(cuCtxCreate_v2(&second, 0, 1));
	GOOD(cuMemGetInfo_v2(&after, &total));
	is_int((long long)after, (long long)before, "its memory came back");
	GOOD(cuCtxDestroy_v2(second));
}

static void primary(void)
{
	CUcontext a, b;
	unsigned int flags;
	CUdeviceptr p;
	int active;

	RC(cuDevicePrimaryCtxRelease_v2(1), 201);
	RC(cuDevicePrimaryCtxRetain(&a, 9), 101);
	GOOD(cuDevicePrimaryCtxGetState(1, &flags, &active));
	is_int(active, 0, "not active");
	GOOD(cuDevicePrimaryCtxSetFlags_v2(1, CU_CTX_SCHED_YIELD));
	GOOD(cuDevicePrimaryCtxRetain(&a, 1));
	GOOD(cuDevicePrimaryCtxRetain(&b, 1));
	is_ptr(a, b, "one primary context");
	GOOD(cuDevicePrimaryCtxGetState(1, &flags, &active));
	ok(active && flags == CU_CTX_SCHED_YIELD, "active, with its flags");
	GOOD(cuCtxSetCurrent(a));
	RC(cuCtxDestroy_v2(a), 201);
	GOOD(cuMemAlloc_v2(&p, 64));
	GOOD(cuDevicePrimaryCtxReset_v2(1));
	RC(cuMemFree_v2(p), 1);
	GOOD(cuDevicePrimaryCtxRelease_v2(1));
	GOOD(cuMemAlloc_v2(&p, 64));
	GOOD(cuDevicePrimaryCtxRelease_v2(1));
	RC(cuMemAlloc_v2(&p, 64), 709);
	RC(cuDevicePrimaryCtxRelease_v2(1), 201);
	GOOD(cuDevicePrimaryCtxRetain(&b, 1));
	is_ptr(b, a, "the same handle again");
	GOOD(cuMemAlloc_v2(&p, 64));
	GOOD(cuDevicePrimaryCtxRelease_v2(1));
	GOOD(cuCtxSetCurrent(first));
}

static void settings(void)
{
	CUfunc_cache cache;
	size_t value;
	int least, greatest;

	GOOD(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	GOOD(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
	is_int((long long)value, 4096, "the limit was kept");
	RC(cuCtxGetLimit(&value, CU_LIMIT_MAX), 1);
	RC(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), 1);
	GOOD(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	GOOD(cuCtxGetCacheConfig(&cache));
	RC(cuCtxSetCacheConfig((CUfunc_cache)9), 1);
	GOOD(cuCtxGetCacheConfig(&cache));
	is_int(cache, CU_FUNC_CACHE_PREFER_L1, "the cache setting was kept");
	GOOD(cuCtxGetStreamPriorityRange(&least, &greatest));
	ok(least > greatest, "lower numbers are greater priorities");
}

static void peers(void)
{
	GOOD(cuCtxCreate_v2(&second, 0, 1));
	RC(cuCtxEnablePeerAccess(NULL, 0), 201);
	RC(cuCtxEnablePeerAccess(first, 1), 1);
	RC(cuCtxDisablePeerAccess(first), 705);
	GOOD(cuCtxEnablePeerAccess(first, 0));
	RC(cuCtxEnablePeerAccess(first, 0), 704);
	GOOD(cuCtxDisablePeerAccess(first));
	GOOD(cuCtxDestroy_v2(second));
	GOOD(cuCtxDestroy_v2(first));
}

int main(void)
{
	GOOD(cuInit(0));
	stack();
	threads();
	destroy();
	primary();
	settings();
	peers();
	return done_testing();
}
