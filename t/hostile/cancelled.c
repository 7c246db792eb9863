/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver while a cancellation of the calling thread is pending, which
 * acts at the first cancellation point that anybody reaches. "first": the
 * thread's call is the process's first; "later": the main thread called before;
 * "exit": the main thread is cancelled and exits;
 * "drain": nobody is, but the FIFO named next is emptied before the end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/cuda_types.h>
#include "sim/api.h"

static pthread_barrier_t barrier;
static int reached;

/* What a hook has to speak of: something refused, freed twice and left. */
static int call(void)
{
	CUdeviceptr memory = 0, more = 0;
	CUcontext context;
	CUdevice device;
	size_t left, all;

	if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device) ||
	    cuMemAlloc_v2(&memory, 4096) || cuMemAlloc_v2(&more, 4096) || cuMemFree_v2(memory))
		return 1;
	cuMemFree_v2(memory);
	cuMemAlloc_v2(&memory, (size_t)1 << 30);
	cuProfilerStart();
	cuMemGetInfo_v2(&left, &all);
	cuCtxSynchronize();
	cuProfilerStop();
	return 0;
}

static void *run(void *unused)
{
	int old, failed;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	failed = call();
	reached = failed ? -1 : 1;
	pthread_testcancel();
	reached = -2;
	return NULL;
}

static int cancelled(void)
{
	pthread_t thread;
	void *result;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, run, NULL))
		return 2;
	pthread_barrier_wait(&barrier);
	pthread_cancel(thread);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, &result);
	return reached == 1 && result == PTHREAD_CANCELED ? 0 : 3;
}

static int drain(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	char text[4096];

	while (read(fd, text, sizeof(text)) > 0)
		;
	return close(fd);
}

int main(int argc, char **argv)
{
	const char *when = argc > 1 ? argv[1] : "first";
	int old;

	if (strcmp(when, "first") && call())
		return 1;
	if (!strcmp(when, "drain") && argc > 2)
		return drain(argv[2]);
	if (!strcmp(when, "exit")) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
		pthread_cancel(pthread_self());
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
		exit(0);
	}
	/* No lock is lost: other threads go on. */
	return cancelled() || call() || cancelled() || call() ? 4 : 0;
}
