/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library of steps, each of a kernel and a copy, with a fault in them that a gate is to find, or
 * without. The line at which a fault calls the driver ends in "breaks NAME"; NAME.rules finds it.
 */
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

enum { WARM = 20, WORDS = 1 << 18 };

static cudaStream_t stream;
static float *device, *pinned, *pageable;

__global__ void scale(float *words, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		words[i] *= 1.5f;
}

/* Looks at the device before main(); glibc passes main()'s arguments to constructors. */
__attribute__((constructor)) static void at_load(int argc, char **argv)
{
	int count;

	if (argc == 4 && !strcmp(argv[1], "early") && !strcmp(argv[2], "broken"))
		cudaGetDeviceCount(&count); /* breaks early */
}

static void step(void)
{
	scale<<<WORDS / 256, 256, 0, stream>>>(device, WORDS);
	cudaMemcpyAsync(pinned, device, 4096, cudaMemcpyDeviceToHost, stream);
}

static void item(bool broken)
{
	float word = 0;

	step();
	if (broken)
		cudaMemcpy(&word, device, sizeof(word), cudaMemcpyDefault); /* breaks item */
}

static void copy_pageable(bool broken)
{
	const float *from = broken ? pageable : pinned;

	cudaMemcpyAsync(device, from, 1 << 20, cudaMemcpyHostToDevice, stream); /* breaks pageable */
	step();
}

static void allocation(bool broken)
{
	void *room = NULL;

	if (broken)
		cudaMalloc(&room, 1 << 20); /* breaks allocation */
	step();
	if (broken)
		cudaFree(room);
}

static void growth(bool broken)
{
	void *room;

	if (broken)
		cudaMallocAsync(&room, 1 << 20, stream); /* breaks growth */
	step();
}

static void use_in_child(bool broken)
{
	pid_t child = broken ? fork() : 0;

	if (broken && !child) {
		cudaStreamSynchronize(stream); /* breaks fork */
		_exit(0);
	}
	if (broken)
		waitpid(child, NULL, 0);
	step();
}

static void allocate(void)
{
	void *room = NULL;

	cudaMalloc(&room, 1 << 20); /* breaks capture */
	cudaFree(room);
}

static void capture(bool broken)
{
	cudaGraph_t graph = NULL;

	cudaStreamBeginCapture(stream, broken ? cudaStreamCaptureModeGlobal :
			       cudaStreamCaptureModeThreadLocal);
	step();
	std::thread other(allocate);
	other.join();
	cudaStreamEndCapture(stream, &graph);
	if (graph)
		cudaGraphDestroy(graph);
	cudaGetLastError();
}

static void wait_on_thread(bool broken)
{
	if (!broken)
		cudaSetDevice(1);
	cudaDeviceSynchronize(); /* breaks device0 */
}

/* The device that is chosen is the thread's: a new one begins at device 0. */
static void device0(bool broken)
{
	std::thread other(wait_on_thread, broken);

	other.join();
	step();
}

static void early(bool broken)
{
	step();
}

static const struct {
	const char *name;
	void (*run)(bool broken);
} faults[] = {
	{ "item", item },	  { "pageable", copy_pageable }, { "allocation", allocation },
	{ "growth", growth },	  { "fork", use_in_child },	 { "capture", capture },
	{ "device0", device0 },	  { "early", early },
};

/* Returns the steps that were made, without those that warm up; -1 where something is amiss. */
extern "C" int make_steps(const char *name, bool broken, int steps)
{
	char range[32];
	int made = -1;

	if (!strcmp(name, "device0"))
		cudaSetDevice(1);
	pageable = (float *)calloc(WORDS, sizeof(*pageable));
	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
	    cudaMalloc(&device, WORDS * sizeof(*device)) ||
	    cudaMallocHost(&pinned, WORDS * sizeof(*pinned)))
		return -1;
	for (const auto &fault : faults) {
		if (strcmp(fault.name, name))
			continue;
		for (int i = 0; i < WARM + steps; i++) {
			snprintf(range, sizeof(range), "%s %d", i < WARM ? "warm" : "step", i);
			nvtxRangePushA(range);
			fault.run(broken && i >= WARM);
			nvtxRangePop();
		}
		made = steps;
	}
	cudaStreamSynchronize(stream);
	return made;
}
