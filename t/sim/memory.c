/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the simulated driver: given out, counted, limited, known by address. */
#include <pthread.h>
#include <stdint.h>

#include "t/sim/check.h"

enum { MIB = 1 << 20, THREADS = 8, ROUNDS = 2000 };

static size_t free_now(void)
{
	size_t free = 0, total;

	cuMemGetInfo_v2(&free, &total);
	return free;
}

static void device(void)
{
	CUdeviceptr p, base;
	size_t size, before = free_now(), pitch;

	GOOD(cuMemAlloc_v2(&p, 3 * MIB));
	is_int((long long)(before - free_now()), 3 * MIB, "less is free");
	GOOD(cuMemGetAddressRange_v2(&base, &size, p + 100));
	ok(base == p && size == 3 * MIB, "the range of an address inside");
	RC(cuMemGetAddressRange_v2(&base, &size, 4096), 500);
	RC(cuMemFree_v2(p + 512), 1);
	GOOD(cuMemFree_v2(p));
	RC(cuMemFree_v2(p), 1);
	RC(cuMemFree_v2((CUdeviceptr)(uintptr_t)&p), 1);
	GOOD(cuMemFree_v2(0));
	RC(cuMemAlloc_v2(&p, 0), 1);
	RC(cuMemAlloc_v2(NULL, 16), 1);
	GOOD(cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4));
	ok(pitch >= 100 && pitch % 512 == 0, "a pitch that aligns");
	RC(cuMemAllocPitch_v2(&base, &pitch, 100, 10, 3), 1);
	GOOD(cuMemFree_v2(p));
	is_int((long long)free_now(), (long long)before, "all is free again");
}

/* The test sets 64 MiB. */
static void limit(void)
{
	CUdeviceptr p, q;

	is_int((long long)free_now(), 64 * MIB, "CUAUDIT_SIM_MEMORY");
	GOOD(cuMemAlloc_v2(&p, 48 * MIB));
	RC(cuMemAlloc_v2(&q, 17 * MIB), 2);
	RC(cuMemAlloc_v2(&q, SIZE_MAX - 4096), 2);
	GOOD(cuMemAlloc_v2(&q, 16 * MIB));
	is_int((long long)free_now(), 0, "nothing is left");
	GOOD(cuMemFree_v2(q));
	GOOD(cuMemFree_v2(p));
}

static void host(void)
{
	static char mine[8192];
	CUdeviceptr p;
	unsigned int flags;
	void *h;

	GOOD(cuMemHostAlloc(&h, 4096, CU_MEMHOSTALLOC_PORTABLE));
	memset(h, 1, 4096);
	GOOD(cuMemHostGetFlags(&flags, h));
	is_int(flags, CU_MEMHOSTALLOC_PORTABLE, "its flags");
	GOOD(cuMemHostGetDevicePointer_v2(&p, h, 0));
	RC(cuMemHostGetDevicePointer_v2(&p, h, 1), 1);
	RC(cuMemFree_v2(p), 1);
	GOOD(cuMemFreeHost(h));
	RC(cuMemFreeHost(h), 1);
	RC(cuMemHostAlloc(&h, 4096, 0x80), 1);
	GOOD(cuMemAllocHost_v2(&h, 1));
	GOOD(cuMemFreeHost(h));
	GOOD(cuMemHostRegister_v2(mine, sizeof(mine), 0));
	RC(cuMemHostRegister_v2(mine + 4096, 16, 0), 712);
	RC(cuMemHostUnregister(mine + 1), 713);
	GOOD(cuMemHostUnregister(mine));
	RC(cuMemHostUnregister(mine), 713);
	RC(cuMemHostRegister_v2(NULL, 16, 0), 1);
}

static void attributes(CUcontext context)
{
	CUpointer_attribute which[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
		CU_POINTER_ATTRIBUTE_RANGE_SIZE,
	};
	unsigned int type;
	CUcontext owner;
	CUdeviceptr p, start;
	size_t size;
	int managed, ordinal;
	void *out[] = { &type, &ordinal, &size };
	unsigned long long id, other;

	GOOD(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
	GOOD(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
	is_int(managed, 1, "managed");
	GOOD(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
	GOOD(cuMemPrefetchAsync(p, 4096, 0, NULL));
	RC(cuMemPrefetchAsync(p, 4097, 0, NULL), 1);
	GOOD(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	GOOD(cuMemFree_v2(p));
	RC(cuMemAllocManaged(&p, 4096, 0), 1);
	GOOD(cuMemAlloc_v2(&p, 4096));
	GOOD(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
	ok(id != other, "ids differ");
	GOOD(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	is_ptr(owner, context, "its context");
	GOOD(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
				   p + 9));
	is_int((long long)start, (long long)p, "its start");
	RC(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_HOST_POINTER, p), 1);
	RC(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				 (CUdeviceptr)(uintptr_t)&type), 1);
	RC(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), 1);
	GOOD(cuPointerGetAttributes(3, which, out, p));
	ok(type == CU_MEMORYTYPE_DEVICE && !ordinal && size == 4096,
	   "several at once");
	GOOD(cuPointerGetAttributes(3, which, out, (CUdeviceptr)(uintptr_t)out));
	ok(!type && !size, "none of an address that is not known");
	GOOD(cuMemFree_v2(p));
}

static void pools(void)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
		.maxSize = MIB,
	};
	CUmemoryPool pool, mine, now;
	cuuint64_t used;
	CUdeviceptr p, q;
	size_t before = free_now();

	GOOD(cuDeviceGetDefaultMemPool(&pool, 0));
	GOOD(cuDeviceGetMemPool(&now, 0));
	is_ptr(now, pool, "the default pool is current");
	GOOD(cuMemAllocAsync(&p, 5000, NULL));
	GOOD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	is_int((long long)used, 5000, "used");
	GOOD(cuMemFreeAsync(p, CU_STREAM_PER_THREAD));
	RC(cuMemFreeAsync(p, NULL), 1);
	GOOD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	is_int((long long)used, 0, "given back");
	GOOD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
	is_int((long long)used, 5000, "the most it was");
	GOOD(cuMemPoolCreate(&mine, &props));
	GOOD(cuDeviceSetMemPool(0, mine));
	GOOD(cuMemAllocAsync(&p, MIB, NULL));
	RC(cuMemAllocFromPoolAsync(&q, 1, mine, NULL), 2);
	GOOD(cuMemFree_v2(p));
	GOOD(cuMemPoolTrimTo(mine, 0));
	GOOD(cuMemPoolDestroy(mine));
	RC(cuMemPoolDestroy(mine), 1);
	RC(cuMemPoolDestroy(pool), 1);
	GOOD(cuDeviceGetMemPool(&now, 0));
	is_ptr(now, pool, "the default pool is current again");
	is_int((long long)free_now(), (long long)before, "all is free again");
}

static void mapping(void)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUmemAccessDesc access = {
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	CUmemGenericAllocationHandle a, b;
	unsigned long long flags;
	size_t g, before = free_now();
	CUdeviceptr p;
	char byte = 0;

	GOOD(cuMemGetAllocationGranularity(&g, &prop,
					   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	GOOD(cuMemAddressReserve(&p, 4 * g, 0, 0, 0));
	RC(cuMemAddressReserve(&p, g + 1, 0, 0, 0), 1);
	GOOD(cuMemCreate(&a, g, &prop, 0));
	GOOD(cuMemCreate(&b, g, &prop, 0));
	RC(cuMemCreate(&b, g - 1, &prop, 0), 1);
	is_int((long long)(before - free_now()), (long long)(2 * g),
	       "memory made is counted");
	GOOD(cuMemMap(p, g, 0, a, 0));
	RC(cuMemMap(p, g, 0, b, 0), 1);
	GOOD(cuMemMap(p + g, g, 0, b, 0));
	RC(cuMemsetD8_v2(p, 1, 4), 1);
	GOOD(cuMemSetAccess(p, 2 * g, &access, 1));
	GOOD(cuMemGetAccess(&flags, &access.location, p));
	is_int((long long)flags, 3, "read and write");
	GOOD(cuMemsetD8_v2(p + g - 4, 7, 8));
	GOOD(cuMemcpyDtoH_v2(&byte, p + g, 1));
	is_int(byte, 7, "a fill over two mappings");
	RC(cuMemsetD8_v2(p + 2 * g - 4, 7, 8), 1);
	RC(cuMemAddressFree(p, 4 * g), 1);
	GOOD(cuMemRelease(a));
	RC(cuMemRelease(a), 1);
	GOOD(cuMemUnmap(p, g));
	GOOD(cuMemMap(p + 2 * g, g, 0, b, 0));
	GOOD(cuMemSetAccess(p + 2 * g, g, &access, 1));
	GOOD(cuMemcpyDtoH_v2(&byte, p + 2 * g, 1));
	is_int(byte, 7, "the same memory at two addresses");
	GOOD(cuMemUnmap(p + g, 2 * g));
	GOOD(cuMemRelease(b));
	GOOD(cuMemAddressFree(p, 4 * g));
	is_int((long long)free_now(), (long long)before, "all is free again");
}

static CUcontext shared;

static void *churn(void *wrong)
{
	CUdeviceptr p[8];
	CUstream stream;
	char byte;

	*(int *)wrong = cuCtxSetCurrent(shared);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 8; k++) {
			*(int *)wrong |= cuMemAlloc_v2(p + k, 256 + i % 9999);
			*(int *)wrong |= cuMemsetD8_v2(p[k], (unsigned char)k, 256);
		}
		*(int *)wrong |= cuStreamCreate(&stream, 0);
		for (int k = 7; k >= 0; k--) {
			*(int *)wrong |= cuMemcpyDtoH_v2(&byte, p[k] + 255, 1);
			*(int *)wrong |= byte != k;
			*(int *)wrong |= cuMemFree_v2(p[k]);
		}
		*(int *)wrong |= cuStreamDestroy_v2(stream);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int wrong[THREADS], sum = 0;
	size_t before = free_now();

	for (int i = 0; i < THREADS; i++)
		pthread_create(thread + i, NULL, churn, wrong + i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum |= wrong[i];
	}
	is_int(sum, 0, "%d threads, %d allocations each", THREADS, 8 * ROUNDS);
	is_int((long long)free_now(), (long long)before, "all is free again");
}

int main(void)
{
	setenv("CUAUDIT_SIM_MEMORY", "64M", 1);
	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&shared, 0, 0));
	device();
	limit();
	host();
	attributes(shared);
	pools();
	mapping();
	threads();
	GOOD(cuCtxDestroy_v2(shared));
	return done_testing();
}
