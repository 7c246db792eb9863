/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breaks the rule that its first argument is named after, in the line with that name in a comment, or
 * keeps it: NAME, or NAME fixed TIMES. Prints the names without an argument.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/nvtx/copy.h"

enum { SIZE = 4096, LARGE = 128 * 1024 };	/* a copy of 64 KiB from pageable memory does not wait */

static const char image[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
			    ".visible .entry work()\n{\n ret;\n}\n"
			    ".visible .entry debug_work()\n{\n ret;\n}\n";
static CUdeviceptr memory;
static CUcontext context;
static CUmodule module;
static CUfunction work, debug_work;
static CUstream stream;
static void *pinned;
static char pageable[LARGE], *program;
static bool keeps_context;	/* with all that is left in it */

static void launch(CUfunction function)
{
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

static void begin(CUdevice device)
{
	if (cuInit(0) || cuCtxCreate_v2(&context, 0, device) || cuStreamCreate(&stream, 1) ||
	    cuModuleLoadData(&module, image) || cuModuleGetFunction(&work, module, "work") ||
	    cuModuleGetFunction(&debug_work, module, "debug_work") ||
	    cuMemAlloc_v2(&memory, SIZE) || cuMemAllocHost_v2(&pinned, LARGE))
		_exit(70);
}

static void end(void)
{
	if (cuMemFreeHost(pinned) || cuMemFree_v2(memory) || cuModuleUnload(module) ||
	    cuStreamDestroy_v2(stream) || (!keeps_context && cuCtxDestroy_v2(context)))
		_exit(71);
}

static void before_main(bool fixed)
{
	(void)fixed;
}

static void after_mark(bool fixed)
{
	CUdeviceptr more = 0;

	for (int i = 0; i < 3; i++)
		launch(work);
	if (!fixed)
		cuMemAlloc_v2(&more, SIZE); /* after-mark */
	cuMemFree_v2(more);
}

static void before_mark(bool fixed)
{
	if (!fixed)
		cuStreamSynchronize(stream); /* before-mark */
	launch(work);
	cuStreamSynchronize(stream);
}

static void in_range(bool fixed)
{
	copy_push("step 1");
	launch(work);
	if (!fixed)
		cuStreamSynchronize(stream); /* in-range */
	copy_pop();
	cuStreamSynchronize(stream);
}

static void is_pageable(bool fixed)
{
	CUdeviceptr to;

	if (cuMemAlloc_v2(&to, LARGE))
		_exit(73);
	copy_push("step 1");
	if (fixed)
		cuMemcpyHtoDAsync_v2(to, pinned, LARGE, stream);
	else
		cuMemcpyHtoDAsync_v2(to, pageable, LARGE, stream); /* pageable */
	copy_pop();
	cuMemFree_v2(to);
}

static void legacy(bool fixed)
{
	CUstream to = fixed ? stream : NULL;

	cuLaunchKernel(work, 1, 1, 1, 1, 1, 1, 0, to, NULL, NULL); /* legacy */
}

static void after_fork(bool fixed)
{
	int version, status;
	pid_t child = fork();

	if (!child && fixed)
		execl("/proc/self/exe", program, "child", "fixed", "1", NULL);
	if (!child)
		cuDriverGetVersion(&version); /* after-fork */
	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		_exit(72);
}

static void child(bool fixed)
{
	(void)fixed;
}

static void primary(bool fixed)
{
	CUcontext its;

	if (fixed)
		cuDevicePrimaryCtxRetain(&its, 1);
	else
		cuDevicePrimaryCtxRetain(&its, 0); /* primary */
	cuDevicePrimaryCtxRelease_v2(fixed ? 1 : 0);
}

static void device(bool fixed)
{
	CUdeviceptr more = 0;
	CUcontext other;

	if (!fixed && cuCtxCreate_v2(&other, 0, 1))
		_exit(73);
	cuMemAlloc_v2(&more, SIZE); /* device */
	cuMemFree_v2(more);
	if (!fixed)
		cuCtxDestroy_v2(other);
}

static void growth(bool fixed)
{
	CUdeviceptr more;

	copy_push("step 1");
	cuMemAlloc_v2(&more, SIZE);
	if (fixed)
		cuMemFree_v2(more);
	copy_pop();
}

/* The handle is released, the memory stays while it is mapped. */
static void mapped(bool fixed)
{
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
	};
	CUmemGenericAllocationHandle handle;
	size_t size = 2 * 1024 * 1024;
	CUdeviceptr at;

	if (cuMemAddressReserve(&at, size, 0, 0, 0))
		_exit(73);
	copy_push("step 1");
	if (cuMemCreate(&handle, size, &prop, 0)) /* mapped */
		_exit(73);
	if (cuMemMap(at, size, 0, handle, 0) || cuMemRelease(handle) || (fixed && cuMemUnmap(at, size)))
		_exit(73);
	copy_pop();
	if (fixed)
		cuMemAddressFree(at, size);
}

static void launches(bool fixed)
{
	copy_push("step 1");
	launch(work);
	launch(work);
	if (!fixed)
		cuLaunchKernel(work, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL); /* launches */
	copy_pop();
	launch(work);
}

static void few(bool fixed)
{
	copy_push("step 1");
	launch(work);
	if (fixed)
		launch(work);
	copy_pop();
}

static void kernels(bool fixed)
{
	launch(work);
	launch(work);
	if (!fixed)
		cuLaunchKernel(debug_work, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL); /* kernels */
}

static void by_kernel(bool fixed)
{
	CUfunction function = fixed ? work : debug_work;

	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL); /* by-kernel */
}

static void unchecked(bool fixed)
{
	CUdeviceptr more;
	CUresult result = cuMemAlloc_v2(&more, 0);

	if (fixed && result)
		return;
	cuMemsetD8_v2(memory, 0, 1); /* unchecked */
}

static void *launch_there(void *fixed)
{
	if (!fixed)
		cuLaunchKernel(work, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL); /* thread */
	cuStreamQuery(stream);
	return NULL;
}

static void thread(bool fixed)
{
	pthread_t other;

	launch(work);
	if (pthread_create(&other, NULL, launch_there, fixed ? "" : NULL))
		_exit(74);
	pthread_join(other, NULL);
	launch(work);
}

static void errors(bool fixed)
{
	CUdeviceptr more;

	cuMemFree_v2(3);
	if (!fixed)
		cuMemAlloc_v2(&more, 0); /* errors */
}

static void leak(bool fixed)
{
	CUdeviceptr more;

	keeps_context = !fixed;
	cuMemAlloc_v2(&more, SIZE); /* leak */
	if (fixed)
		cuMemFree_v2(more);
}

static void copied(bool fixed)
{
	copy_push("step 1");
	cuMemcpyHtoD_v2(memory, pinned, SIZE);
	cuMemcpyDtoH_v2(pinned, memory, fixed ? 1024 : 1025); /* copied */
	copy_pop();
}

static void between(bool fixed)
{
	CUdeviceptr more;

	cuMemAlloc_v2(&more, SIZE);
	cuMemFree_v2(more);
	cuMemGetInfo_v2(&(size_t){ 0 }, &(size_t){ 0 });
	if (!fixed)
		cuMemAlloc_v2(&more, SIZE); /* between */
	cuStreamSynchronize(stream);
	cuMemAlloc_v2(&more, SIZE);
	cuMemFree_v2(more);
}

/* Once, how often this is repeated. */
static void between_once(bool fixed)
{
	static bool done;

	if (!done)
		between(fixed);
	done = true;
}

static void peak(bool fixed)
{
	CUdeviceptr more, most = 0;

	cuMemAlloc_v2(&more, SIZE);
	if (fixed)
		cuMemFree_v2(more);
	cuMemAlloc_v2(&most, SIZE); /* peak */
	cuMemFree_v2(most);
}

static void host_time(bool fixed)
{
	if (!fixed)
		cuCtxSynchronize(); /* host-time */
}

static void version(bool fixed)
{
	CUlibrary library;

	if (fixed)
		return;
	cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0); /* version */
	cuLibraryUnload(library);
}

static void sticky(bool fixed)
{
	if (!fixed)
		cuMemsetD16_v2(memory, 0, 1); /* sticky */
}

static void capture(bool fixed)
{
	if (!fixed)
		cuMemsetD32_v2(memory, 0, 1); /* capture */
}

static void at_least(bool fixed)
{
	if (fixed)
		cuStreamQuery(stream);
}

static const struct way {
	const char *name;
	void (*go)(bool fixed);
} ways[] = {
	{ "after-fork", after_fork },
	{ "after-mark", after_mark },
	{ "at-least", at_least },
	{ "before-main", before_main },
	{ "before-mark", before_mark },
	{ "between", between_once },
	{ "by-kernel", by_kernel },
	{ "capture", capture },
	{ "child", child },
	{ "copied", copied },
	{ "device", device },
	{ "errors", errors },
	{ "few", few },
	{ "growth", growth },
	{ "host-time", host_time },
	{ "in-range", in_range },
	{ "kernels", kernels },
	{ "launches", launches },
	{ "leak", leak },
	{ "legacy", legacy },
	{ "mapped", mapped },
	{ "pageable", is_pageable },
	{ "peak", peak },
	{ "primary", primary },
	{ "sticky", sticky },
	{ "thread", thread },
	{ "unchecked", unchecked },
	{ "version", version },
};

__attribute__((constructor)) static void early(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "before-main"))
		cuInit(0); /* before-main */
}

static void run(const struct way *way, bool fixed, long times)
{
	begin(0);
	while (times-- > 0)
		way->go(fixed);
	end();
}

int main(int argc, char **argv)
{
	bool fixed = argc == 4 && !strcmp(argv[2], "fixed");

	program = argv[0];
	copy_initialize();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc < 2)
			puts(ways[i].name);
		else if (!strcmp(argv[1], ways[i].name))
			return run(&ways[i], fixed, fixed ? atol(argv[3]) : 1), 0;
	}
	return argc < 2 ? 0 : 69;
}
