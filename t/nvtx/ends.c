/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends KEYS ROUND: threads that allocate in a destructor of thread-specific data, in that round of destructors, within
 * a range that it then pops. With so many keys before its own, of which only the first lie in the thread itself.
 */
#include <pthread.h>

#include "sim/api.h"
#include "t/nvtx/copy.h"

enum { THREADS = 3 };

static pthread_key_t key;
static CUcontext context;

static void last(void *value)
{
	uintptr_t round = (uintptr_t)value;
	CUdeviceptr at;

	if (round > 1) {
		pthread_setspecific(key, (void *)(round - 1));
		return;
	}
	if (cuMemAlloc_v2(&at, 100) || cuMemFree_v2(at))
		abort();
	copy_pop();
}

static void *work(void *round)
{
	copy_push("step");
	if (cuCtxSetCurrent(context) || cuCtxSynchronize() || pthread_setspecific(key, round))
		abort();
	return NULL;
}

int main(int argc, char **argv)
{
	int keys = argc > 2 ? atoi(argv[1]) : 0;
	pthread_key_t unused;
	pthread_t thread;

	if (argc < 3 || copy_initialize() < 0 || cuInit(0) || cuCtxCreate_v2(&context, 0, 0))
		return 1;
	while (keys--)
		if (pthread_key_create(&unused, NULL))
			return 1;
	if (pthread_key_create(&key, last))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)atoi(argv[2])) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
