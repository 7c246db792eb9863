/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs WHAT [MODE]: captures, and launches of what was captured, on the driver of t/limit/device.c. Prints how many
 * calls of others the driver saw amid captures, what went wrong by them, and how often what is gone was used.
 * capture: a thousand launches are captured, in the mode of that number; launch: they are launched once, too; child: as
 * part of another graph; inside: as part of one that a launch of theirs was captured in; beside: while another
 * stream's work is on its way; amid: while the thread gives another stream work, and events, and destroys a third one;
 * thread: while another thread gives another stream work, and waits for it. gone: a hundred streams and contexts, with
 * work on its way, are destroyed.
 * Or, for each of two processes, who wait for each other by the file MODE: query: streams that were waited for are
 * asked whether they are done, and how often they were not is printed; share: until both have launched TOTAL graphs,
 * of which each prints its own; second: the same on the second device; devices: the same by launches to both devices at once;
 * ahead: launches without ever waiting, until each has launched TOTAL kernels; prints how many milliseconds of work were
 * submitted at once.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "t/limit/device.h"

enum { CAPTURED = 1000, BESIDE = 16, ROUNDS = 70, QUERIES = 1000, TOTAL = 1000, EVERY = 4, SMALL = 20 };

static CUstream stream, other;
static CUstreamCaptureMode mode;
static int captured = CAPTURED;
static bool amid;

static void check(CUresult result, const char *what)
{
	if (!result)
		return;
	printf("%s: %d\n", what, (int)result);
	exit(1);
}

static void launch(CUstream to)
{
	check(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, to, NULL, NULL), "cuLaunchKernel");
}

/* What a thread may do with other streams than the one that it captures. */
static void work_amid(CUevent event)
{
	CUstream third;

	check(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	launch(other);
	launch(other);
	check(cuEventRecord(event, other), "cuEventRecord");
	launch(third);
	check(cuStreamDestroy_v2(third), "cuStreamDestroy");
}

/* Of launches, or of a launch of a graph. */
static CUgraph capture(CUgraphExec exec)
{
	CUgraph graph;
	CUevent event;

	check(cuEventCreate(&event, 0), "cuEventCreate");
	check(cuStreamBeginCapture_v2(stream, mode), "cuStreamBeginCapture");
	for (int i = 0; i < captured && !exec; i++) {
		launch(stream);
		if (amid && i % 10 == 0)
			work_amid(event);
	}
	if (exec)
		check(cuGraphLaunch(exec, stream), "cuGraphLaunch");
	check(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
	return graph;
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	check(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
	return exec;
}

/* What both have launched; the second one to come goes on with the first. */
static atomic_int *meet(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	atomic_int *all;

	if (fd < 0 || ftruncate(fd, 4096))
		exit(3);
	all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED)
		exit(3);
	for (all[0]++; all[0] < 2; )
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return &all[1];
}

/* Of one kernel for each device. */
static void launch_all(void)
{
	CUDA_LAUNCH_PARAMS list[2] = { { .hStream = stream }, { .hStream = other } };

	check(cuLaunchCooperativeKernelMultiDevice(list, 2, 0), "cuLaunchCooperativeKernelMultiDevice");
}

/* exec: NULL for launches to both devices. */
static void share(atomic_int *both, CUgraphExec exec)
{
	int own = 0;

	while (*both < TOTAL) {
		for (int i = 0; i < EVERY; i++)
			if (exec)
				check(cuGraphLaunch(exec, stream), "cuGraphLaunch");
			else
				launch_all();
		check(cuStreamSynchronize(stream), "cuStreamSynchronize");
		own += EVERY;
		*both += EVERY;
	}
	printf("%d\n", own);
}

static int busy(int times)
{
	int count = 0;

	while (times--)
		count += cuStreamQuery(stream) != 0;
	return count;
}

static void *wait_there(void *context)
{
	check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	check(cuStreamSynchronize(stream), "cuStreamSynchronize");
	return NULL;
}

static void *wait_for_all_there(void *context)
{
	check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	check(cuCtxSynchronize(), "cuCtxSynchronize");
	return NULL;
}

/* By the thread that submits or another one; what is left afterwards is the stream that was waited for. */
static int after_one(void *(*waits)(void *context), CUcontext context, int launches)
{
	pthread_t thread;

	while (launches--)
		launch(stream);
	if (pthread_create(&thread, NULL, waits, context) || pthread_join(thread, NULL))
		exit(3);
	launch(other);
	return busy(QUERIES);
}

/* By an event of its own, of which there are more than we put our own before. */
static int after_event(CUevent event, int launches)
{
	while (launches--) {
		launch(stream);
		check(cuEventRecord(event, stream), "cuEventRecord");
	}
	check(cuEventSynchronize(event), "cuEventSynchronize");
	launch(other);
	return busy(QUERIES);
}

/* Batches have more or less of them; a stream that is left, by submissions to another one, was seen done as well. */
static void query(CUcontext context)
{
	int after_wait = 0, after_query = 0, after_thread = 0, after_all = 0, after_events = 0;
	CUevent event;

	check(cuEventCreate(&event, 0), "cuEventCreate");
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j <= i % 7; j++)
			launch(stream);
		check(cuStreamSynchronize(stream), "cuStreamSynchronize");
		after_wait += busy(QUERIES);
		for (int j = 0; j <= i % 7; j++)
			launch(stream);
		while (busy(1))
			;
		launch(other);
		after_query += busy(QUERIES);
		after_thread += after_one(wait_there, context, i % 7 + 1);
		after_all += after_one(wait_for_all_there, context, i % 7 + 1);
		after_events += after_event(event, i % 7 + 1);
	}
	printf("%d %d %d %d %d\n", after_wait, after_query, after_thread, after_all, after_events);
}

static void *work_there(void *context)
{
	check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j <= i % 7; j++)
			launch(other);
		check(cuStreamSynchronize(other), "cuStreamSynchronize");
	}
	return NULL;
}

/* By turns the stream that was given work last, another one, and what all are in. */
static void destroy_all(CUcontext context)
{
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j <= i % 7; j++)
			launch(i % 3 ? stream : NULL);
		if (i % 2)
			launch(other);
		check(cuStreamDestroy_v2(stream), "cuStreamDestroy");
		launch(other);
		if (i % 5 == 0) {
			check(cuCtxDestroy_v2(context), "cuCtxDestroy");
			check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
			check(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
		}
		check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	}
}

static int print(void)
{
	printf("%d recorded, ", device_calls.captured);
	if (!amid)
		printf("%d asked, ", device_calls.amid);
	printf("%d ended, %d gone\n", device_calls.unsafe, device_calls.dead);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const char *what = argc > 1 ? argv[1] : "";
	CUgraph graph, outer;
	CUgraphNode node;
	CUcontext context, second;

	mode = argc > 2 ? (CUstreamCaptureMode)atoi(argv[2]) : CU_STREAM_CAPTURE_MODE_GLOBAL;
	check(cuInit(0), "cuInit");
	check(cuCtxCreate_v2(&context, 0, !strcmp(what, "second")), "cuCtxCreate");
	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	check(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	/* Not the first one that makes the device known. */
	launch(stream);
	check(cuStreamSynchronize(stream), "cuStreamSynchronize");
	if (!strcmp(what, "query")) {
		meet(argv[2]);
		query(context);
		return 0;
	}
	if (!strcmp(what, "ahead")) {
		meet(argv[2]);
		for (int i = 0; i < TOTAL; i++)
			launch(stream);
		printf("%d\n", (int)(device_calls.ahead / 1000000));
		return 0;
	}
	if (!strcmp(what, "devices")) {
		check(cuCtxCreate_v2(&second, 0, 1), "cuCtxCreate");
		check(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
		check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
		share(meet(argv[2]), NULL);
		return 0;
	}
	if (!strcmp(what, "share") || !strcmp(what, "second")) {
		captured = SMALL;
		share(meet(argv[2]), instantiate(capture(NULL)));
		return 0;
	}
	for (int i = 0; i < BESIDE && !strcmp(what, "beside"); i++)
		launch(other);
	if (!strcmp(what, "gone")) {
		destroy_all(context);
		return print();
	}
	amid = !strcmp(what, "amid");
	if (!strcmp(what, "thread") && pthread_create(&thread, NULL, work_there, context))
		return 3;
	graph = capture(NULL);
	if (!strcmp(what, "thread") && pthread_join(thread, NULL))
		return 3;
	if (!strcmp(what, "child")) {
		check(cuGraphCreate(&outer, 0), "cuGraphCreate");
		check(cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph), "cuGraphAddChildGraphNode");
		graph = outer;
	}
	if (!strcmp(what, "inside"))
		graph = capture(instantiate(graph));
	if (!strcmp(what, "launch") || !strcmp(what, "child") || !strcmp(what, "inside"))
		check(cuGraphLaunch(instantiate(graph), stream), "cuGraphLaunch");
	check(cuStreamSynchronize(stream), "cuStreamSynchronize");
	check(cuStreamSynchronize(other), "cuStreamSynchronize");
	return print();
}
