/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take and give back memory of all kinds until they have called
 * the driver so often, under a limit that lets them have a part of what they
 * want: stress THREADS CALLS LIMIT [FILE]. A thread of its own watches the
 * driver. With a file, what all processes hold that name it is added up there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/limit/watch.h"
#include "t/tap.h"

enum { THREADS = 64, THINGS = 24, GRAIN = 512, BLOCK = 2 << 20 };

enum kind { LINEAR, PITCHED, ASYNC, POOLED, ARRAY, PHYSICAL, KINDS };

struct thing {
	enum kind kind;
	uint64_t value;
	size_t bytes;
};

static CUcontext context;
static CUmemoryPool pool;
static uint64_t calls_each;
static size_t limit;
static _Atomic size_t own;
static _Atomic size_t *held = &own;	/* never more than what is charged */
static _Atomic size_t highest;	/* what the driver said */
static _Atomic uint64_t took, refused, over, odd;
static _Atomic int running;

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static CUresult take(struct thing *thing, uint64_t chance)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUDA_ARRAY_DESCRIPTOR array = {
		.Width = 128, .Height = 1 + chance % 64, .Format = CU_AD_FORMAT_FLOAT,
		.NumChannels = 1,
	};
	size_t pitch;

	thing->kind = chance >> 40 & 15 ? LINEAR : chance >> 32 & 7;
	thing->bytes = GRAIN * (1 + chance % 2048);
	switch (thing->kind) {
	case PITCHED:
		thing->bytes = 1024 * (1 + chance % 512);
		return cuMemAllocPitch_v2((CUdeviceptr *)&thing->value, &pitch, 1000,
					  thing->bytes / 1024, 4);
	case ASYNC:
		return cuMemAllocAsync((CUdeviceptr *)&thing->value, thing->bytes, NULL);
	case POOLED:
		return cuMemAllocFromPoolAsync((CUdeviceptr *)&thing->value, thing->bytes, pool,
					       NULL);
	case ARRAY:
		thing->bytes = GRAIN * array.Height;
		return cuArrayCreate_v2((CUarray *)&thing->value, &array);
	case PHYSICAL:
		thing->bytes = BLOCK;
		return cuMemCreate((CUmemGenericAllocationHandle *)&thing->value, BLOCK, &prop, 0);
	default:
		thing->kind = LINEAR;
		return cuMemAlloc_v2((CUdeviceptr *)&thing->value, thing->bytes);
	}
}

static CUresult give(const struct thing *thing)
{
	switch (thing->kind) {
	case ASYNC:
	case POOLED:
		return cuMemFreeAsync(thing->value, NULL);
	case ARRAY:
		return cuArrayDestroy((CUarray)(uintptr_t)thing->value);
	case PHYSICAL:
		return cuMemRelease(thing->value);
	default:
		return cuMemFree_v2(thing->value);
	}
}

static void *work(void *number)
{
	uint64_t state = 88172645463325252u + (uint64_t)(uintptr_t)number * 7919;
	struct thing things[THINGS] = { { 0 } };

	cuCtxSetCurrent(context);
	for (uint64_t call = 0; call < calls_each; call++) {
		struct thing *thing = &things[next(&state) % THINGS];
		CUresult result;

		if (thing->bytes) {
			atomic_fetch_sub(held, thing->bytes);
			odd += give(thing) != CUDA_SUCCESS;
			thing->bytes = 0;
			continue;
		}
		result = take(thing, next(&state));
		if (result) {
			odd += result != CUDA_ERROR_OUT_OF_MEMORY;
			refused++;
			thing->bytes = 0;
			continue;
		}
		took++;
		if (atomic_fetch_add(held, thing->bytes) + thing->bytes > limit)
			over++;
	}
	for (int i = 0; i < THINGS; i++) {
		if (!things[i].bytes)
			continue;
		atomic_fetch_sub(held, things[i].bytes);
		odd += give(&things[i]) != CUDA_SUCCESS;
	}
	running--;
	return NULL;
}

static void watch(void)
{
	while (running) {
		size_t used = watch_used();

		if (used > highest)
			highest = used;
		over += used > limit;
	}
}

static void *shared(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*held)))
		return MAP_FAILED;
	return mmap(NULL, sizeof(*held), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

int main(int argc, char **argv)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	int threads = argc > 1 ? atoi(argv[1]) : 16;
	pthread_t ids[THREADS];
	size_t free, total;

	calls_each = strtoull(argc > 2 ? argv[2] : "1000000", NULL, 10) / (uint64_t)threads;
	limit = strtoull(argc > 3 ? argv[3] : "0", NULL, 10);
	if (argc > 4)
		held = shared(argv[4]);
	ok(held != MAP_FAILED && !cuInit(0) && !cuCtxCreate_v2(&context, 0, 0) &&
	   !cuMemPoolCreate(&pool, &props), "a context and a pool");
	running = threads;
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)(i + 1));
	watch();
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	diag("%llu taken, %llu refused, %zu of %zu bytes at most", (unsigned long long)took,
	     (unsigned long long)refused, (size_t)highest, limit);
	ok(took > 0 && refused > 0, "some is taken, some refused");
	is_int((long long)over, 0, "never over");
	is_int((long long)odd, 0, "nothing else fails");
	ok(highest > limit / 2 || argc > 4, "and the limit was come by");
	is_int((long long)watch_used(), 0, "the driver's balance at the end");
	ok(!cuMemGetInfo_v2(&free, &total) && (free == total || argc > 4),
	   "and what the program is told");
	return done_testing();
}
