/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocking: which functions of the driver wait for work of the GPU. A kernel runs for 200 ms in a
 * non-blocking stream of the context, the busy one, while a function is called: does it return
 * before, and longer than without a kernel? Prints a line for each: "waits" or "returns", its
 * time in milliseconds, what it was.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <time.h>

#include <cuda.h>

static const char kernels[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry spin(.param .u64 ns)\n"
	"{\n"
	"	.reg .u64 %rd<5>;\n"
	"	.reg .pred %p<2>;\n"
	"	ld.param.u64 %rd1, [ns];\n"
	"	mov.u64 %rd2, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %rd3, %globaltimer;\n"
	"	sub.u64 %rd4, %rd3, %rd2;\n"
	"	setp.lt.u64 %p1, %rd4, %rd1;\n"
	"	@%p1 bra again;\n"
	"	ret;\n"
	"}\n"
	".visible .entry other() { ret; }\n";

enum { SIZE = 8 << 20, LEFT = 512 << 20, SPIN_MS = 200 };

static CUdevice device;
static CUcontext context, second;
static CUstream busy, idle;
static CUfunction spin;
static CUmodule module, fresh;
static CUlibrary library;
static CUkernel kernel;
static CUfunction function;
static CUdeviceptr memory, from, managed, mapped, pooled;
static CUarray array;
static CUmipmappedArray mipmap;
static CUmemGenericAllocationHandle physical;
static CUmemoryPool pool;
static CUgraph graph;
static CUgraphExec exec;
static CUevent event;
static void *pinned, *pageable, *registered;
static size_t granularity;

static void must(CUresult result, const char *what)
{
	const char *name = "?";

	if (!result)
		return;
	cuGetErrorName(result, &name);
	printf("# %s: %s\n", what, name);
}

#define MUST(call) must(call, #call)

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void start_spin(CUstream stream)
{
	unsigned long long ns = SPIN_MS * 1000000ull;
	void *parameters[] = { &ns };

	MUST(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static CUmemAllocationProp properties(void)
{
	CUmemAllocationProp prop;

	memset(&prop, 0, sizeof(prop));
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	prop.location.id = device;
	return prop;
}

static void create_physical(void)
{
	CUmemAllocationProp prop = properties();

	MUST(cuMemCreate(&physical, granularity, &prop, 0));
}

static void map(void)
{
	MUST(cuMemAddressReserve(&mapped, granularity, 0, 0, 0));
	MUST(cuMemMap(mapped, granularity, 0, physical, 0));
}

static void set_access(void)
{
	CUmemAccessDesc access;

	memset(&access, 0, sizeof(access));
	access.location = properties().location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	MUST(cuMemSetAccess(mapped, granularity, &access, 1));
}

static void create_pool(void)
{
	CUmemPoolProps prop;

	memset(&prop, 0, sizeof(prop));
	prop.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location = properties().location;
	MUST(cuMemPoolCreate(&pool, &prop));
}

static void fill_pool(void)
{
	cuuint64_t all = ~0ull;

	create_pool();
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	MUST(cuMemAllocFromPoolAsync(&pooled, SIZE, pool, idle));
	MUST(cuMemFreeAsync(pooled, idle));
	MUST(cuStreamSynchronize(idle));
}

/* The pool keeps nearly all that was free, and uses none of it: who wants memory finds it there alone. */
static void hoard(void)
{
	cuuint64_t all = ~0ull;
	size_t left, total;

	create_pool();
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	MUST(cuMemGetInfo(&left, &total));
	MUST(cuMemAllocFromPoolAsync(&pooled, left - LEFT, pool, idle));
	MUST(cuMemFreeAsync(pooled, idle));
	MUST(cuStreamSynchronize(idle));
	MUST(cuMemGetInfo(&left, &total));
	if (left > 2 * (size_t)LEFT)
		printf("# the pool keeps too little: %zu MiB are free\n", left >> 20);
}

static void create_array(void)
{
	CUDA_ARRAY_DESCRIPTOR format = { 1024, 1024, CU_AD_FORMAT_FLOAT, 1 };

	MUST(cuArrayCreate(&array, &format));
}

static void create_mipmap(void)
{
	CUDA_ARRAY3D_DESCRIPTOR format = { 1024, 1024, 0, CU_AD_FORMAT_FLOAT, 1, 0 };

	MUST(cuMipmappedArrayCreate(&mipmap, &format, 3));
}

static void create_graph(void)
{
	CUgraphNode node;

	MUST(cuGraphCreate(&graph, 0));
	MUST(cuGraphAddEmptyNode(&node, graph, NULL, 0));
}

static void instantiate(void)
{
	MUST(cuGraphInstantiate(&exec, graph, 0));
}

static void create_context(void)
{
#if CUDA_VERSION >= 13000
	MUST(cuCtxCreate(&second, NULL, 0, device));
#else
	MUST(cuCtxCreate(&second, 0, device));
#endif
	MUST(cuCtxSetCurrent(context));
}

static void load_library(void)
{
	MUST(cuLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
	MUST(cuLibraryGetKernel(&kernel, library, "other"));
}

static void register_host(void)
{
	registered = aligned_alloc(4096, SIZE);
	memset(registered, 1, SIZE);
	MUST(cuMemHostRegister(registered, SIZE, 0));
}

/* Does a kernel in another stream run beside the one that spins? */
static void run_idle(void)
{
	unsigned long long ns = 0;
	void *parameters[] = { &ns };

	MUST(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, idle, parameters, NULL));
	MUST(cuStreamSynchronize(idle));
}

static void on_host(void *data)
{
	(void)data;
}

static void nothing(void)
{
}

typedef void action(void);

/* What is called: before the kernel, while it runs, and when it is done. */
static const struct probe {
	const char *what;
	action *before, *call, *after;
} probes[] = {
#define PROBE(what, before, call, after) \
	{ what, [] { before; }, [] { call; }, [] { after; } }
	PROBE("cuCtxGetCurrent", nothing(), { CUcontext c; MUST(cuCtxGetCurrent(&c)); }, nothing()),
	PROBE("cuCtxSynchronize", nothing(), MUST(cuCtxSynchronize()), nothing()),
	PROBE("cuMemGetInfo", nothing(), { size_t a; size_t b; MUST(cuMemGetInfo(&a, &b)); }, nothing()),
	PROBE("cuMemAlloc", nothing(), MUST(cuMemAlloc(&memory, SIZE)), MUST(cuMemFree(memory))),
	PROBE("cuMemAlloc 1 KiB", nothing(), MUST(cuMemAlloc(&memory, 1024)),
	      MUST(cuMemFree(memory))),
	PROBE("cuMemAlloc 1 GiB", nothing(), MUST(cuMemAlloc(&memory, 1ul << 30)),
	      MUST(cuMemFree(memory))),
	PROBE("cuMemFree", MUST(cuMemAlloc(&memory, SIZE)), MUST(cuMemFree(memory)), nothing()),
	PROBE("cuMemFree 1 KiB", MUST(cuMemAlloc(&memory, 1024)), MUST(cuMemFree(memory)),
	      nothing()),
	PROBE("cuMemFree NULL", nothing(), MUST(cuMemFree(0)), nothing()),
	PROBE("cuMemAllocPitch", nothing(),
	      { size_t pitch; MUST(cuMemAllocPitch(&memory, &pitch, 4096, 1024, 4)); },
	      MUST(cuMemFree(memory))),
	PROBE("cuMemAllocHost", nothing(), MUST(cuMemAllocHost(&pinned, SIZE)),
	      MUST(cuMemFreeHost(pinned))),
	PROBE("cuMemHostAlloc", nothing(), MUST(cuMemHostAlloc(&pinned, SIZE, 0)),
	      MUST(cuMemFreeHost(pinned))),
	PROBE("cuMemFreeHost", MUST(cuMemAllocHost(&pinned, SIZE)), MUST(cuMemFreeHost(pinned)),
	      nothing()),
	PROBE("cuMemHostRegister", nothing(), register_host(),
	      { MUST(cuMemHostUnregister(registered)); free(registered); }),
	PROBE("cuMemHostUnregister", register_host(), MUST(cuMemHostUnregister(registered)),
	      free(registered)),
	PROBE("cuMemAllocManaged", nothing(),
	      MUST(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL)),
	      MUST(cuMemFree(managed))),
	PROBE("cuMemFree of managed memory",
	      MUST(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL)),
	      MUST(cuMemFree(managed)), nothing()),
	PROBE("cuArrayCreate", nothing(), create_array(), MUST(cuArrayDestroy(array))),
	PROBE("cuArrayDestroy", create_array(), MUST(cuArrayDestroy(array)), nothing()),
	PROBE("cuMipmappedArrayCreate", nothing(), create_mipmap(),
	      MUST(cuMipmappedArrayDestroy(mipmap))),
	PROBE("cuMipmappedArrayDestroy", create_mipmap(), MUST(cuMipmappedArrayDestroy(mipmap)),
	      nothing()),
	PROBE("cuMemCreate", nothing(), create_physical(), MUST(cuMemRelease(physical))),
	PROBE("cuMemRelease", create_physical(), MUST(cuMemRelease(physical)), nothing()),
	PROBE("cuMemMap", create_physical(), map(),
	      { MUST(cuMemUnmap(mapped, granularity));
		MUST(cuMemAddressFree(mapped, granularity)); MUST(cuMemRelease(physical)); }),
	PROBE("cuMemSetAccess", { create_physical(); map(); }, set_access(),
	      { MUST(cuMemUnmap(mapped, granularity));
		MUST(cuMemAddressFree(mapped, granularity)); MUST(cuMemRelease(physical)); }),
	PROBE("cuMemUnmap", { create_physical(); map(); set_access(); },
	      MUST(cuMemUnmap(mapped, granularity)),
	      { MUST(cuMemAddressFree(mapped, granularity)); MUST(cuMemRelease(physical)); }),
	PROBE("cuMemAddressFree", MUST(cuMemAddressReserve(&mapped, granularity, 0, 0, 0)),
	      MUST(cuMemAddressFree(mapped, granularity)), nothing()),
	PROBE("cuMemPoolCreate", nothing(), create_pool(), MUST(cuMemPoolDestroy(pool))),
	PROBE("cuMemPoolTrimTo", fill_pool(), MUST(cuMemPoolTrimTo(pool, 0)),
	      MUST(cuMemPoolDestroy(pool))),
	PROBE("cuMemAlloc that has to trim a pool", hoard(), MUST(cuMemAlloc(&memory, 2 * (size_t)LEFT)),
	      { MUST(cuMemFree(memory)); MUST(cuMemPoolDestroy(pool)); }),
	PROBE("cuMemPoolDestroy", fill_pool(), MUST(cuMemPoolDestroy(pool)), nothing()),
	PROBE("cuMemAllocAsync, idle stream", nothing(), MUST(cuMemAllocAsync(&memory, SIZE, idle)),
	      MUST(cuMemFree(memory))),
	PROBE("cuMemFreeAsync, idle stream", MUST(cuMemAllocAsync(&memory, SIZE, idle)),
	      MUST(cuMemFreeAsync(memory, idle)), nothing()),
	PROBE("cuMemFreeAsync, busy stream", MUST(cuMemAllocAsync(&memory, SIZE, busy)),
	      MUST(cuMemFreeAsync(memory, busy)), nothing()),
	PROBE("cuMemFree of a pool's memory", MUST(cuMemAllocAsync(&memory, SIZE, idle)),
	      MUST(cuMemFree(memory)), nothing()),
	PROBE("cuDeviceGraphMemTrim", nothing(), MUST(cuDeviceGraphMemTrim(device)), nothing()),
	PROBE("cuModuleLoadData", nothing(), MUST(cuModuleLoadData(&fresh, kernels)),
	      MUST(cuModuleUnload(fresh))),
	PROBE("cuModuleGetFunction", MUST(cuModuleLoadData(&fresh, kernels)),
	      MUST(cuModuleGetFunction(&function, fresh, "other")), MUST(cuModuleUnload(fresh))),
	PROBE("cuFuncLoad", { MUST(cuModuleLoadData(&fresh, kernels));
			      MUST(cuModuleGetFunction(&function, fresh, "other")); },
	      MUST(cuFuncLoad(function)), MUST(cuModuleUnload(fresh))),
	PROBE("cuFuncGetAttribute of one not loaded",
	      { MUST(cuModuleLoadData(&fresh, kernels));
		MUST(cuModuleGetFunction(&function, fresh, "other")); },
	      { int v; MUST(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, function)); },
	      MUST(cuModuleUnload(fresh))),
	PROBE("cuLaunchKernel of one not loaded, idle stream",
	      { MUST(cuModuleLoadData(&fresh, kernels));
		MUST(cuModuleGetFunction(&function, fresh, "other")); },
	      MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, idle, NULL, NULL)),
	      MUST(cuModuleUnload(fresh))),
	PROBE("cuModuleUnload", { MUST(cuModuleLoadData(&fresh, kernels));
				  MUST(cuModuleGetFunction(&function, fresh, "other"));
				  MUST(cuFuncLoad(function)); },
	      MUST(cuModuleUnload(fresh)), nothing()),
	PROBE("cuLibraryLoadData", nothing(), load_library(), MUST(cuLibraryUnload(library))),
	PROBE("cuLibraryGetModule", load_library(),
	      { CUmodule m; MUST(cuLibraryGetModule(&m, library)); },
	      MUST(cuLibraryUnload(library))),
	PROBE("cuKernelGetFunction", load_library(), MUST(cuKernelGetFunction(&function, kernel)),
	      MUST(cuLibraryUnload(library))),
	PROBE("cuLibraryUnload, not loaded", load_library(), MUST(cuLibraryUnload(library)),
	      nothing()),
	PROBE("cuLibraryUnload, loaded",
	      { load_library(); MUST(cuKernelGetFunction(&function, kernel));
		MUST(cuFuncLoad(function)); },
	      MUST(cuLibraryUnload(library)), nothing()),
	PROBE("cuStreamCreate", nothing(),
	      { CUstream s; MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING)); }, nothing()),
	PROBE("cuEventRecord, busy stream", MUST(cuEventCreate(&event, 0)),
	      MUST(cuEventRecord(event, busy)), MUST(cuEventDestroy(event))),
	PROBE("cuEventDestroy", MUST(cuEventCreate(&event, 0)),
	      { MUST(cuEventRecord(event, busy)); MUST(cuEventDestroy(event)); }, nothing()),
	PROBE("cuLaunchHostFunc, busy stream", nothing(),
	      MUST(cuLaunchHostFunc(busy, on_host, NULL)), nothing()),
	PROBE("cuGraphInstantiate", create_graph(), instantiate(),
	      { MUST(cuGraphExecDestroy(exec)); MUST(cuGraphDestroy(graph)); }),
	PROBE("cuGraphUpload, idle stream", { create_graph(); instantiate(); },
	      MUST(cuGraphUpload(exec, idle)),
	      { MUST(cuGraphExecDestroy(exec)); MUST(cuGraphDestroy(graph)); }),
	PROBE("cuGraphLaunch, busy stream", { create_graph(); instantiate(); },
	      MUST(cuGraphLaunch(exec, busy)),
	      { MUST(cuGraphExecDestroy(exec)); MUST(cuGraphDestroy(graph)); }),
	PROBE("cuGraphExecDestroy", { create_graph(); instantiate(); },
	      MUST(cuGraphExecDestroy(exec)), MUST(cuGraphDestroy(graph))),
	PROBE("cuCtxCreate", nothing(), create_context(), MUST(cuCtxDestroy(second))),
	PROBE("cuCtxDestroy of an idle one", create_context(), MUST(cuCtxDestroy(second)),
	      nothing()),
	PROBE("cuCtxSetLimit of the stack", nothing(),
	      { size_t v; MUST(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
		MUST(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, v + 512)); }, nothing()),
	PROBE("cuCtxSetLimit of printf's buffer", nothing(),
	      { size_t v; MUST(cuCtxGetLimit(&v, CU_LIMIT_PRINTF_FIFO_SIZE));
		MUST(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, v + 4096)); }, nothing()),
	PROBE("cuMemcpyHtoD, pageable", nothing(), MUST(cuMemcpyHtoD(from, pageable, SIZE)),
	      nothing()),
	PROBE("cuMemcpyHtoD, pageable, 1 KiB", nothing(), MUST(cuMemcpyHtoD(from, pageable, 1024)),
	      nothing()),
	PROBE("cuMemcpyHtoD, pinned", MUST(cuMemAllocHost(&pinned, SIZE)),
	      MUST(cuMemcpyHtoD(from, pinned, SIZE)), MUST(cuMemFreeHost(pinned))),
	PROBE("cuMemcpyDtoH, pageable", nothing(), MUST(cuMemcpyDtoH(pageable, from, SIZE)),
	      nothing()),
	PROBE("cuMemcpyDtoD", nothing(), MUST(cuMemcpyDtoD(from, from + SIZE / 2, SIZE / 2)),
	      nothing()),
	PROBE("cuMemsetD8 of device memory", nothing(), MUST(cuMemsetD8(from, 1, SIZE)),
	      nothing()),
	PROBE("cuMemcpyHtoDAsync, pageable, idle stream", nothing(),
	      MUST(cuMemcpyHtoDAsync(from, pageable, SIZE, idle)), nothing()),
	PROBE("cuMemcpyHtoDAsync, pageable, busy stream", nothing(),
	      MUST(cuMemcpyHtoDAsync(from, pageable, SIZE, busy)), nothing()),
	PROBE("cuMemcpyHtoDAsync, pageable, 1 KiB, busy stream", nothing(),
	      MUST(cuMemcpyHtoDAsync(from, pageable, 1024, busy)), nothing()),
	PROBE("cuMemcpyHtoDAsync, pageable, 64 KiB, busy stream", nothing(),
	      MUST(cuMemcpyHtoDAsync(from, pageable, 65536, busy)), nothing()),
	PROBE("cuMemcpyHtoDAsync, pageable, 64 KiB + 1, busy stream", nothing(),
	      MUST(cuMemcpyHtoDAsync(from, pageable, 65537, busy)), nothing()),
	PROBE("cuMemcpyHtoDAsync, pinned, busy stream", MUST(cuMemAllocHost(&pinned, SIZE)),
	      MUST(cuMemcpyHtoDAsync(from, pinned, SIZE, busy)), MUST(cuMemFreeHost(pinned))),
	PROBE("cuMemcpyDtoHAsync, pageable, idle stream", nothing(),
	      MUST(cuMemcpyDtoHAsync(pageable, from, SIZE, idle)), nothing()),
	PROBE("cuMemcpyDtoHAsync, pageable, busy stream", nothing(),
	      MUST(cuMemcpyDtoHAsync(pageable, from, SIZE, busy)), nothing()),
	PROBE("cuMemcpyDtoHAsync, pageable, 1 KiB, busy stream", nothing(),
	      MUST(cuMemcpyDtoHAsync(pageable, from, 1024, busy)), nothing()),
	PROBE("cuMemcpyDtoHAsync, pinned, busy stream", MUST(cuMemAllocHost(&pinned, SIZE)),
	      MUST(cuMemcpyDtoHAsync(pinned, from, SIZE, busy)), MUST(cuMemFreeHost(pinned))),
	PROBE("a kernel in an idle stream", nothing(), run_idle(), nothing()),
	PROBE("... after cuMemAlloc", nothing(), { MUST(cuMemAlloc(&memory, SIZE)); run_idle(); },
	      MUST(cuMemFree(memory))),
	PROBE("... after cuMemAllocHost", nothing(),
	      { MUST(cuMemAllocHost(&pinned, SIZE)); run_idle(); }, MUST(cuMemFreeHost(pinned))),
	PROBE("... after cuMemHostRegister", nothing(), { register_host(); run_idle(); },
	      { MUST(cuMemHostUnregister(registered)); free(registered); }),
	PROBE("... after cuArrayCreate", nothing(), { create_array(); run_idle(); },
	      MUST(cuArrayDestroy(array))),
	PROBE("... after cuMemAllocManaged", nothing(),
	      { MUST(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL)); run_idle(); },
	      MUST(cuMemFree(managed))),
	PROBE("... after cuMemcpyDtoD", nothing(),
	      { MUST(cuMemcpyDtoD(from, from + SIZE / 2, SIZE / 2)); run_idle(); }, nothing()),
	PROBE("cuDevicePrimaryCtxRetain and Release", nothing(),
	      { CUcontext c; MUST(cuDevicePrimaryCtxRetain(&c, device));
		MUST(cuDevicePrimaryCtxRelease(device)); }, nothing()),
	PROBE("cuPointerSetAttribute", MUST(cuMemAlloc(&memory, SIZE)),
	      { int on = 1;
		MUST(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory)); },
	      MUST(cuMemFree(memory))),
	PROBE("cuIpcGetMemHandle", MUST(cuMemAlloc(&memory, SIZE)),
	      { CUipcMemHandle handle; MUST(cuIpcGetMemHandle(&handle, memory)); },
	      MUST(cuMemFree(memory))),
	PROBE("cuStreamAttachMemAsync, idle stream",
	      MUST(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL)),
	      MUST(cuStreamAttachMemAsync(idle, managed, 0, CU_MEM_ATTACH_SINGLE)),
	      MUST(cuMemFree(managed))),
};

static double timed(const struct probe *probe, bool spins)
{
	double start;

	probe->before();
	MUST(cuCtxSynchronize());
	if (spins)
		start_spin(busy);
	start = now_ms();
	probe->call();
	start = now_ms() - start;
	MUST(cuCtxSynchronize());
	probe->after();
	MUST(cuCtxSynchronize());
	return start;
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

static void run(const struct probe *probe)
{
	double beside = less(timed(probe, true), timed(probe, true)), alone = timed(probe, false);

	printf("%-8s %8.3f  %s", beside > alone + SPIN_MS * 0.75 ? "waits" : "returns", beside, probe->what);
	printf(alone > 10 ? " (%.3f with nothing to wait for)\n" : "\n", alone);
	fflush(stdout);
}

int main(void)
{
	CUmemAllocationProp prop;
	int version;

	MUST(cuInit(0));
	MUST(cuDriverGetVersion(&version));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	prop = properties();
	MUST(cuMemGetAllocationGranularity(&granularity, &prop,
					   CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	MUST(cuModuleLoadData(&module, kernels));
	MUST(cuModuleGetFunction(&spin, module, "spin"));
	MUST(cuStreamCreate(&busy, CU_STREAM_NON_BLOCKING));
	MUST(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
	MUST(cuMemAlloc(&from, SIZE));
	pageable = calloc(1, SIZE);
	printf("# driver %d, kernel of %d ms in a non-blocking stream\n", version, SPIN_MS);
	for (const struct probe &probe : probes)
		run(&probe);
	return 0;
}
