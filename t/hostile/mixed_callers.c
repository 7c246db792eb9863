/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls two functions of the driver it is linked to in three ways each, as
 * often as the first argument says, in as many threads more as the second
 * does, and judges what arrived.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "t/fake/driver.h"

typedef int (*init_fn)(unsigned int flags);
typedef int (*alloc_fn)(unsigned long long *pointer, size_t size);

enum { WAYS = 3, MOST = 64 };

static init_fn inits[WAYS];
static alloc_fn allocs[WAYS];
static int times;

static int look_up(void)
{
	inits[0] = cuInit;
	allocs[0] = cuMemAlloc_v2;
	inits[1] = (init_fn)dlsym(RTLD_DEFAULT, "cuInit");
	allocs[1] = (alloc_fn)dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
	return cuGetProcAddress_v2("cuInit", (void **)&inits[2], 13000, 0, NULL) ||
	       cuGetProcAddress_v2("cuMemAlloc", (void **)&allocs[2], 13000, 0, NULL) ||
	       !inits[1] || !allocs[1] || !inits[2] || !allocs[2];
}

static void *work(void *data)
{
	unsigned long long pointer;
	long failed = 0;

	(void)data;
	for (int i = 0; i < times; i++) {
		for (int way = 0; way < WAYS; way++) {
			failed |= inits[way](0);
			failed |= allocs[way](&pointer, 4096 + (size_t)i);
			failed |= pointer != 4096 + (unsigned long long)i;
		}
	}
	return (void *)failed;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0, want, failed;
	pthread_t all[MOST];
	void *result;

	times = argc > 1 ? atoi(argv[1]) : 1;
	failed = look_up();
	for (int i = 0; i < threads && i < MOST && !failed; i++)
		failed = pthread_create(&all[i], NULL, work, NULL);
	if (failed)
		return 3;
	failed = work(NULL) != NULL;
	for (int i = 0; i < threads && i < MOST; i++)
		failed |= pthread_join(all[i], &result) || result;
	want = times * WAYS * (threads + 1);
	printf("cuInit %d, cuMemAlloc_v2 %d of %d\n", cuaudit_fake_calls("cuInit"),
	       cuaudit_fake_calls("cuMemAlloc_v2"), want);
	return failed || cuaudit_fake_calls("cuInit") != want ||
	       cuaudit_fake_calls("cuMemAlloc_v2") != want;
}
