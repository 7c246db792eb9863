/* SPDX-License-Identifier: Apache-2.0 */
/* What one thread does inside of another's call, under limit(device0=64M), on t/limit/driver.c. */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "sim/api.h"
#include "t/tap.h"

enum { MIB = 1 << 20, RANGE = 0x100000 };

extern void (*test_inside)(const char *function);
extern int test_wrong;

static CUmemoryPool pool;
static pthread_t other;
static sem_t destroyed;
static int early, started;

static int left(void)
{
	size_t free, total;

	return cuMemGetInfo_v2(&free, &total) || total != 64 * MIB ? -1 : (int)(free / MIB);
}

/* Memory of another process, which its mapping alone keeps. */
static void map(uintptr_t number, CUdeviceptr at, size_t size)
{
	CUmemGenericAllocationHandle handle = 0;

	cuMemImportFromShareableHandle(&handle, (void *)number, 0);
	if (cuMemMap(at, size, 0, handle, 0) || cuMemRelease(handle))
		ok(false, "mapped");
}

static void *map_again(void *unused)
{
	map(2, RANGE, 16 * MIB);
	return unused;
}

static void *destroy(void *unused)
{
	cuMemPoolDestroy(pool);
	return unused;
}

static void *open_again(void *unused)
{
	CUipcMemHandle handle = { { 0 } };
	size_t size = 24 * MIB;
	CUdeviceptr address;

	memcpy(&handle, &size, sizeof(size));
	if (cuIpcOpenMemHandle_v2(&address, handle, 0))
		ok(false, "opened by another thread");
	return unused;
}

static void inside(const char *function)
{
	struct timespec until;

	if (!strcmp(function, "unmap") && !started++) {
		pthread_create(&other, NULL, map_again, NULL);
		pthread_join(other, NULL);
	} else if (!strcmp(function, "range") && !started++) {
		pthread_create(&other, NULL, open_again, NULL);
		pthread_join(other, NULL);
	} else if (!strcmp(function, "trim") && !started++) {
		pthread_create(&other, NULL, destroy, NULL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		early = !sem_timedwait(&destroyed, &until);
	} else if (!strcmp(function, "destroy")) {
		sem_post(&destroyed);
	}
}

int main(void)
{
	CUipcMemHandle handle = { { 0 } };
	size_t size = 24 * MIB;
	CUmemPoolProps props;
	CUdeviceptr address;

	memset(&props, 0, sizeof(props));
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	sem_init(&destroyed, 0, 0);
	cuInit(0);
	is_int(left(), 64, "all is left");

	test_inside = inside;
	map(1, RANGE + 8 * MIB, 8 * MIB);
	is_int(left(), 56, "mapped");
	is_int(cuMemUnmap(RANGE, 16 * MIB), 0, "unmapped, and mapped again meanwhile");
	is_int(left(), 48, "the second mapping counts");
	is_int(cuMemUnmap(RANGE, 16 * MIB), 0, "unmapped");
	is_int(left(), 64, "all is left again");

	started = 0;
	memcpy(&handle, &size, sizeof(size));
	is_int(cuIpcOpenMemHandle_v2(&address, handle, 0), 0, "memory of another process");
	ok(started, "which another thread opens before it is charged");
	is_int(left(), 40, "it counts once");
	is_int(cuIpcCloseMemHandle(address), 0, "closed by one of them");
	is_int(left(), 40, "it still counts");
	is_int(cuIpcCloseMemHandle(address), 0, "closed by the other");
	is_int(left(), 64, "it no longer does");

	started = 0;
	is_int(cuMemPoolCreate(&pool, &props), 0, "a pool");
	is_int(cuMemAlloc_v2(&address, 65 * MIB), 2, "too much, for which pools are trimmed");
	is_int(started, 1, "another thread destroys the pool meanwhile");
	pthread_join(other, NULL);
	is_int(early, 0, "the driver hears of that when the trim is done");
	is_int(left(), 64, "all is left");
	is_int(cuMemAlloc_v2(&address, 65 * MIB), 2, "too much");
	is_int(test_wrong, 0, "no pool was asked for that is no more");
	return done_testing();
}
