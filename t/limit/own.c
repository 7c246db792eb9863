/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own CASE, under limit(memory=1G) and t/limit/nvml.c: contexts and modules that take memory nobody
 * allocates. Prints what is left, in MiB, after each step, and what of it could not be had.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/limit/nvml.h"

#define MIB ((size_t)1 << 20)

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";

struct nvml_processes nvml_processes = {
	.count = 2,
	.before = 2,
	.list = { { .pid = 1, .used = 77 * MIB }, { .pid = 2, .used = 3 * MIB } },
};

struct nvml_processes nvml_second;
unsigned int nvml_begun;
int (*nvml_beginning)(void);

static struct nvml_process *self = &nvml_processes.list[2];

static void left(const char *after)
{
	size_t free = 0, total = 0;

	cuMemGetInfo_v2(&free, &total);
	printf("%s %zu of %zu\n", after, free / MIB, total / MIB);
}

/* What the device has of us, once it is known. */
static void grow(int mib)
{
	if (self->used != ~0ull)
		self->used += (unsigned long long)mib * MIB;
}

static CUdeviceptr take(int mib)
{
	CUdeviceptr at = 0;

	if (cuMemAlloc_v2(&at, (size_t)mib * MIB))
		printf("not %d\n", mib);
	else
		grow(mib);
	return at;
}

/* The others that are on the device with us, and which PID is ours. */
static void appear(const char *what)
{
	nvml_processes.count = 3;
	*self = (struct nvml_process){ .pid = (unsigned int)getpid(), .used = 300 * MIB };
	if (!strcmp(what, "outside") || !strcmp(what, "two"))
		self->pid = 4000001;
	if (!strcmp(what, "two"))
		nvml_processes.list[nvml_processes.count++] = (struct nvml_process){ .pid = 4000002, .used = MIB };
	if (!strcmp(what, "missing"))
		nvml_processes.count = 2;
	if (!strcmp(what, "unknown"))
		self->used = ~0ull;
	if (!strcmp(what, "fails"))
		nvml_processes.error = 999;
	if (!strcmp(what, "crowd"))
		nvml_processes.count = 1000;
}

static void *use_second(void *unused)
{
	CUcontext context;

	if (cuCtxCreate_v2(&context, 0, 1))
		puts("no context");
	return unused;
}

/* A thread that has a context on the second device while the first one is asked about. */
static void meanwhile(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, use_second, NULL) || pthread_join(thread, NULL))
		puts("no thread");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	CUdeviceptr at[3];
	CUcontext context;
	CUmodule module, other;
	CUfunction kernel;
	size_t unused;

	if (cuInit(0))
		return 3;
	appear(what);
	if (!strcmp(what, "second"))
		nvml_processes.inside = meanwhile;
	errno = 0;
	if (cuCtxCreate_v2(&context, 0, 0))
		return 3;
	if (errno)
		printf("errno %d\n", errno);
	left("context");
	if (!strcmp(what, "large")) {
		self->used = 2048 * MIB;
		cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048);
		left("limits");
		take(1);
		return 0;
	}
	if (cuModuleLoadData(&other, image) || cuModuleGetFunction(&kernel, other, "one"))
		return 3;
	at[0] = take(600);
	left("memory");
	grow(50);
	if (cuModuleLoadData(&module, image))
		return 3;
	left("module");
	at[1] = take(100);
	grow(-50);
	cuModuleUnload(module);
	at[2] = take(100);
	left("unloaded");
	for (int i = 0; i < 3; i++)
		cuMemFree_v2(at[i]);
	if (self->used != ~0ull)
		self->used = 300 * MIB;
	left("freed");
	if (!strcmp(what, "asks")) {
		unsigned int before = nvml_processes.asks;

		for (int i = 0; i < 1000; i++)
			cuMemGetInfo_v2(&unused, &unused);
		printf("asked %u times\n", nvml_processes.asks - before);
		at[0] = take(1);
		left("more");
		cuMemFree_v2(at[0]);
		printf("asked %u times\n", nvml_processes.asks - before);
	}
	/* As a launch takes that loads its code. */
	cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	grow(10);
	left("lazy");
	nvml_processes.count = 2;
	cuCtxDestroy_v2(context);
	return 0;
}
