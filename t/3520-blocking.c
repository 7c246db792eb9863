/* SPDX-License-Identifier: Apache-2.0 */
/* blocking_call: with a driver that has a few addresses, then with the simulated one. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>
#include <cuaudit/replace.h>

#include "hooks/blocking.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { WORDS = 32, ROUNDS = 400, PAGE = 4096 };

/* What the driver knows; any other address is pageable. */
enum {
	DEVICE = 0x100000, PINNED = 0x200000, MANAGED = 0x300000, POOL = 0x400000,
	PAGEABLE = 0x500000
};
enum { STREAM = 0x7000, CAPTURED = 0x8000 };
/* More than what does not wait to be staged. */
enum { LARGE = (64 << 10) + 1 };

static const char *const texts[] = {
#define WHEN(name, text) text,
#include "tables/blocking.def"
};

static int asks, captures;		/* how often the driver was asked */
static bool refuses, lacking;		/* it answers with an error; has none of the functions */
static bool relaxed;			/* the thread's mode */
static bool unsafe;			/* it was asked in another, or of the legacy stream */
static void *simulated;

static CUresult attributes(unsigned int count, CUpointer_attribute *which, void **values,
			   CUdeviceptr at)
{
	asks++;
	errno = EIO;
	unsafe |= !relaxed;
	if (refuses)
		return CUDA_ERROR_NOT_INITIALIZED;
	for (unsigned int i = 0; i < count; i++) {
		if (which[i] == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
			*(CUmemoryPool *)values[i] = at == POOL ? (CUmemoryPool)(uintptr_t)1 : NULL;
		else if (which[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
			*(unsigned int *)values[i] = at == MANAGED;
		else if (which[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
			*(unsigned int *)values[i] = at == PINNED ? CU_MEMORYTYPE_HOST :
				at && at < PAGEABLE && !(at % DEVICE) ? CU_MEMORYTYPE_DEVICE : 0;
	}
	return CUDA_SUCCESS;
}

static CUresult exchange(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = relaxed ? CU_STREAM_CAPTURE_MODE_RELAXED :
					       CU_STREAM_CAPTURE_MODE_GLOBAL;

	if (refuses)
		return CUDA_ERROR_NOT_INITIALIZED;
	relaxed = *mode == CU_STREAM_CAPTURE_MODE_RELAXED;
	*mode = before;
	return CUDA_SUCCESS;
}

static CUresult capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	captures++;
	unsafe |= (uintptr_t)stream <= (uintptr_t)CU_STREAM_LEGACY;
	*status = (uintptr_t)stream == CAPTURED ? CU_STREAM_CAPTURE_STATUS_ACTIVE :
						  CU_STREAM_CAPTURE_STATUS_NONE;
	return refuses ? CUDA_ERROR_NOT_INITIALIZED : CUDA_SUCCESS;
}

static const struct row {
	const char *name, *base;
} rows[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	{ #symbol, #base },
#include <cuaudit/driver_api.def>
#undef CUAPI
};
enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

void *cuaudit_real(int id)
{
	if (lacking)
		return NULL;
	if (simulated)
		return dlsym(simulated, rows[id].name);
	switch (id) {
	case CUAUDIT_ID_cuPointerGetAttributes:
		return (void *)(uintptr_t)attributes;
	case CUAUDIT_ID_cuThreadExchangeStreamCaptureMode:
		return (void *)(uintptr_t)exchange;
	case CUAUDIT_ID_cuStreamIsCapturing:
		return (void *)(uintptr_t)capturing;
	}
	return NULL;
}

static bool has_row(const char *base)
{
	static const char *const bases[] = {
#define BLOCKS(base, when, source) #base,
#include "tables/blocking.def"
	};

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (!strcmp(bases[i], base))
			return true;
	return false;
}

static const char *why(int id, uint64_t *words)
{
	struct cuaudit_function function = {
		.name = rows[id].name, .base = rows[id].base, .id = id,
		.classes = has_row(rows[id].base) ? CUAUDIT_CLASS_BLOCKING : CUAUDIT_CLASS_MISC,
	};
	struct cuaudit_call call = { .function = &function, .words = words, .nwords = WORDS };

	return blocking_call(&call, true);
}

#define WHY(symbol, ...) why(CUAUDIT_ID_##symbol, (uint64_t[WORDS]){ __VA_ARGS__ })

static void says(const char *got, const char *want, const char *what)
{
	bool same = got && want ? !strcmp(got, want) : got == want;

	ok(same, "%s: %s", what, want ? want : "nothing");
	if (!same)
		diag("got %s", got ? got : "nothing");
}

#define HIGH 0xdead00000000	/* what is in the upper half of a register is nobody's */

static void addresses(void)
{
	says(WHY(cuCtxSynchronize, 0), "waits always", "cuCtxSynchronize");
	says(WHY(cuMemAlloc_v2, 1, 8), "allocates memory", "cuMemAlloc");
	says(WHY(cuModuleGetFunction, 1, 2, 3), "loads code", "cuModuleGetFunction");
	says(WHY(cuMemFree_v2, DEVICE), "frees memory", "device memory");
	says(WHY(cuMemFree_v2, POOL), NULL, "memory of a pool");
	says(WHY(cuMemFree_v2, 0), NULL, "no memory");
	says(WHY(cuMemFree, HIGH | POOL), NULL, "memory of a pool, 32 bits");
	says(WHY(cuMemFreeHost, PINNED), "frees memory", "pinned memory");
	says(WHY(cuMemFreeHost, 0), NULL, "no pinned memory");
	says(WHY(cuMemHostUnregister, PINNED), "frees memory", "registered memory");
	says(WHY(cuStreamQuery, 0), NULL, "cuStreamQuery");
	says(WHY(cuModuleUnload, 1), "frees the memory of an object", "cuModuleUnload");
	says(WHY(cuGraphExecDestroy, 1), NULL, "cuGraphExecDestroy");
	says(WHY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 2048), "sets the size of the stack", "the size of the stack");
	says(WHY(cuCtxSetLimit, HIGH | CU_LIMIT_STACK_SIZE, 2048), "sets the size of the stack", "... by 32 bits");
	says(WHY(cuCtxSetLimit, CU_LIMIT_PRINTF_FIFO_SIZE, 2048), NULL, "another limit");

	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, LARGE, STREAM), "pageable host memory",
	     "to the device");
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PINNED, 8, STREAM), NULL, "to the device, pinned");
	says(WHY(cuMemcpyHtoDAsync_v2, PINNED, PINNED, 8, STREAM), "pageable host memory",
	     "pinned to pinned");
	says(WHY(cuMemcpyHtoDAsync_v2, PAGEABLE, PINNED, 8, STREAM), NULL,
	     "to what is no device's");
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, 0, LARGE, STREAM), "pageable host memory", "from NULL");
	says(WHY(cuMemcpyDtoHAsync_v2, PAGEABLE, DEVICE, 8, STREAM), "pageable host memory",
	     "from the device");
	says(WHY(cuMemcpyDtoHAsync_v2, PINNED, DEVICE, 8, STREAM), NULL, "from the device, pinned");
	says(WHY(cuMemcpyDtoHAsync_v2_ptsz, PINNED, DEVICE, 8, STREAM), NULL, "the same, _ptsz");
	says(WHY(cuMemcpyHtoAAsync_v2, 1, 2, PAGEABLE, 8, STREAM), "pageable host memory",
	     "to an array");
	says(WHY(cuMemcpyHtoAAsync_v2, 1, 2, PINNED, 8, STREAM), NULL, "to an array, pinned");
	says(WHY(cuMemcpyAtoHAsync_v2, PAGEABLE, 1, 2, 8, STREAM), "pageable host memory",
	     "from an array");
	says(WHY(cuMemcpyAtoHAsync_v2, PINNED, 1, 2, 8, STREAM), NULL, "from an array, pinned");
	says(WHY(cuMemcpyAsync, DEVICE, PAGEABLE, LARGE, STREAM), "pageable host memory",
	     "unified, from the host");
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, LARGE - 1, STREAM), NULL,
	     "64 KiB to the device");
	says(WHY(cuMemcpyAsync, DEVICE, PAGEABLE, LARGE - 1, STREAM), NULL,
	     "unified, 64 KiB from the host");
	says(WHY(cuMemcpyAsync, MANAGED, PAGEABLE, 8, STREAM), "pageable host memory",
	     "unified, from the host to managed memory");
	says(WHY(cuMemcpyAsync, PAGEABLE, DEVICE, 8, STREAM), "pageable host memory",
	     "unified, to the host");
	says(WHY(cuMemcpyAsync, DEVICE, MANAGED, 8, STREAM), NULL, "unified, managed");
	says(WHY(cuMemcpyAsync, PINNED, DEVICE, 8, STREAM), NULL, "unified, pinned");
	says(WHY(cuMemcpyAsync, PINNED, PINNED, 8, STREAM), "pageable host memory",
	     "unified, pinned to pinned");
	says(WHY(cuMemcpyDtoDAsync_v2, DEVICE, DEVICE, 8, STREAM), NULL, "within the device");

	says(WHY(cuMemcpyHtoD_v2, DEVICE, PINNED, 8), "host memory", "no stream, to the device");
	says(WHY(cuMemcpyAtoH_v2, PINNED, 1, 2, 8), "host memory", "no stream, from an array");
	says(WHY(cuMemcpy, DEVICE, PAGEABLE, 8), "host memory", "no stream, unified");
	says(WHY(cuMemcpy, MANAGED, DEVICE, 8), "host memory", "no stream, managed");
	says(WHY(cuMemcpy, DEVICE, DEVICE, 8), "legacy stream", "no stream, within the device");
	says(WHY(cuMemcpy_ptds, DEVICE, DEVICE, 8), NULL, "the thread's stream, within the device");
	says(WHY(cuMemcpyDtoD_v2, DEVICE, DEVICE, 8), "legacy stream", "cuMemcpyDtoD");
	says(WHY(cuMemsetD8_v2, PINNED, 0, 8), "host memory", "a set of pinned memory");
	says(WHY(cuMemsetD8_v2, MANAGED, 0, 8), "host memory", "a set of managed memory");
	says(WHY(cuMemsetD8_v2, DEVICE, 0, 8), "legacy stream", "a set of device memory");
	says(WHY(cuMemsetD8, HIGH | DEVICE, 0, HIGH | 8), "legacy stream",
	     "a set of device memory, 32 bits");
	says(WHY(cuMemsetD8_v2_ptds, DEVICE, 0, 8), NULL, "the same in the thread's stream");
}

static void nothing(void)
{
	says(WHY(cuMemcpyHtoD_v2, DEVICE, PAGEABLE, 0), NULL, "no bytes to the device");
	says(WHY(cuMemcpyHtoD, DEVICE, PAGEABLE, HIGH), NULL, "no bytes, 32 bits");
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, 0, 0), NULL,
	     "no bytes in the legacy stream");
	says(WHY(cuMemcpyDtoD_v2, DEVICE, DEVICE, 0), NULL, "no bytes within the device");
	says(WHY(cuMemsetD2D8_v2, DEVICE, 8, 0, 0, 8), NULL, "a set of no width");
	says(WHY(cuMemsetD2D8_v2, DEVICE, 8, 0, 8, 0), NULL, "a set of no height");
	says(WHY(cuMemsetD32Async, DEVICE, 0, 0, 0), NULL, "a set of nothing in the legacy stream");
}

static void streams(void)
{
	CUlaunchConfig config = { .gridDimX = 1, .hStream = NULL };
	uint64_t at = (uintptr_t)&config;

	asks = captures = 0;
	says(WHY(cuLaunchKernel, 1, 1, 1, 1, 1, 1, 1, 0, 0), "legacy stream",
	     "a launch in stream 0");
	says(WHY(cuLaunchKernel, 1, 1, 1, 1, 1, 1, 1, 0, 1), "legacy stream",
	     "in CU_STREAM_LEGACY");
	says(WHY(cuLaunchKernel, 1, 1, 1, 1, 1, 1, 1, 0, 2), NULL, "in CU_STREAM_PER_THREAD");
	says(WHY(cuLaunchKernel, 1, 1, 1, 1, 1, 1, 1, 0, STREAM), NULL, "in a stream");
	says(WHY(cuLaunchKernel_ptsz, 1, 1, 1, 1, 1, 1, 1, 0, 0), NULL, "_ptsz in stream 0");
	says(WHY(cuLaunchKernel_ptsz, 1, 1, 1, 1, 1, 1, 1, 0, 1), "legacy stream",
	     "_ptsz in CU_STREAM_LEGACY");
	says(WHY(cuLaunchKernelEx, at, 1), "legacy stream", "a launch by a structure in stream 0");
	says(WHY(cuLaunchKernelEx_ptsz, at, 1), NULL, "the same, _ptsz");
	config.hStream = (CUstream)(uintptr_t)STREAM;
	says(WHY(cuLaunchKernelEx, at, 1), NULL, "a launch by a structure in a stream");
	says(WHY(cuLaunchKernelEx, 0, 1), NULL, "... by none");
	says(WHY(cuLaunchKernelEx, 8, 1), NULL, "... by one that cannot be read");
	says(WHY(cuLaunch, 1), "legacy stream", "a launch without a stream");
	says(WHY(cuGraphLaunch, 1, 0), "legacy stream", "a graph");
	says(WHY(cuEventRecord, 1, 0), "legacy stream", "an event");
	says(WHY(cuMemFreeAsync, POOL, 0), "legacy stream", "a free");
	says(WHY(cuMemFreeAsync, POOL, STREAM), NULL, "a free in a stream");
	says(WHY(cuMemPrefetchAsync, MANAGED, 8, 0, 0), "legacy stream", "a prefetch");
	is_int(asks + captures, 0, "the driver is not asked for these");
}

static void captured(void)
{
	unsafe = false;
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, LARGE, CAPTURED), NULL,
	     "a copy into a captured stream");
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, LARGE, 0), "pageable host memory",
	     "a copy into the legacy stream");
	captures = 0;
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PINNED, 8, STREAM), NULL, "a copy of pinned memory");
	is_int(captures, 0, "... for which nobody asks about the stream");
	says(WHY(cuMemcpyHtoDAsync_v2_ptsz, DEVICE, PAGEABLE, LARGE, 0), "pageable host memory",
	     "a copy into the thread's stream");
	is_int(captures, 1, "... about which the driver is asked");
	ok(!unsafe, "nothing is asked that would end a capture");
	ok(!relaxed, "the thread's mode is what it was");
}

static void typed(void)
{
	CUDA_MEMCPY3D cube = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = (void *)PAGEABLE,
		.srcDevice = DEVICE,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = DEVICE,
		.dstHost = (void *)PAGEABLE,
		.WidthInBytes = 8, .Height = 2, .Depth = 1,
	};
	CUDA_MEMCPY2D flat = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = DEVICE,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = PINNED,
		.WidthInBytes = 8, .Height = 2,
	};
	CUDA_MEMCPY2D_v1 old = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = (void *)PAGEABLE,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .WidthInBytes = 8, .Height = 2,
	};
	uint64_t at = (uintptr_t)&cube, flat_at = (uintptr_t)&flat;

	says(WHY(cuMemcpy3DAsync_v2, at, STREAM), "pageable host memory", "3D, from the host");
	says(WHY(cuMemcpy3D_v2, at), "host memory", "3D, no stream");
	says(WHY(cuMemcpy3DAsync_v2, at, CAPTURED), NULL, "3D, captured");
	cube.Depth = 0;
	says(WHY(cuMemcpy3DAsync_v2, at, 0), NULL, "3D, of no depth");
	cube.Depth = 1;
	cube.srcHost = (void *)PINNED;
	says(WHY(cuMemcpy3DAsync_v2, at, STREAM), NULL, "3D, pinned");
	cube.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	says(WHY(cuMemcpy3DAsync_v2, at, 0), "legacy stream", "3D, within the device");
	says(WHY(cuMemcpy3D_v2, at), "legacy stream", "3D, within the device, no stream");
	says(WHY(cuMemcpy3D_v2_ptds, at), NULL, "3D, within the device, the thread's stream");
	cube.srcMemoryType = (CUmemorytype)77;
	says(WHY(cuMemcpy3DAsync_v2, at, STREAM), NULL, "3D, from nothing there is");
	says(WHY(cuMemcpy2DAsync_v2, flat_at, STREAM), NULL, "2D, to unified pinned memory");
	flat.dstDevice = PAGEABLE;
	says(WHY(cuMemcpy2DAsync_v2, flat_at, STREAM), "pageable host memory",
	     "2D, to unified pageable memory");
	says(WHY(cuMemcpy2DUnaligned_v2, flat_at), "host memory", "2D, no stream");
	says(WHY(cuMemcpy2DAsync, (uintptr_t)&old, STREAM), "pageable host memory",
	     "2D, 32 bits, to an array");
	says(WHY(cuMemcpy2DAsync_v2, 0, 0), NULL, "2D, described by nothing");
	says(WHY(cuMemcpy3D_v2, 8), NULL, "3D, described by what cannot be read");
}

static void peers(void)
{
	CUDA_MEMCPY3D_PEER peer = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = DEVICE,
		.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = (void *)PAGEABLE,
		.WidthInBytes = 8, .Height = 2, .Depth = 1,
	};

	says(WHY(cuMemcpy3DPeerAsync, (uintptr_t)&peer, STREAM), "pageable host memory",
	     "3D between peers");
	says(WHY(cuMemcpyPeerAsync, DEVICE, 1, DEVICE, 2, 8, STREAM), NULL, "between peers");
	says(WHY(cuMemcpyPeer, DEVICE, 1, DEVICE, 2, 8), "legacy stream",
	     "between peers, no stream");
}

/* The end of what can be read. */
static char *edge(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + PAGE, PAGE, PROT_NONE);
	return pages + PAGE;
}

static void batches(void)
{
	enum { MANY = 5000 };
	static uint64_t to[MANY], from[MANY], sizes[MANY];
	CUDA_MEMCPY3D_BATCH_OP operations[2] = {
		{ .src = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = PINNED },
		  .dst = { .type = CU_MEMCPY_OPERAND_TYPE_ARRAY }, .extent = { 1, 1, 1 } },
		{ .src = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = PAGEABLE },
		  .dst = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = DEVICE },
		  .extent = { 1, 1, 1 } }
	};
	uint64_t a = (uintptr_t)to, b = (uintptr_t)from, n = (uintptr_t)sizes;
	uint64_t op = (uintptr_t)operations, end = (uintptr_t)edge();

	for (int i = 0; i < MANY; i++) {
		to[i] = DEVICE;
		from[i] = PINNED;
		sizes[i] = 8;
	}
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, 100, 0, 0, 0, STREAM), NULL,
	     "a batch of pinned memory");
	from[99] = PAGEABLE;
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, 100, 0, 0, 0, STREAM), "pageable host memory",
	     "the last is pageable");
	says(WHY(cuMemcpyBatchAsync, a, b, n, 100, 0, 0, 0, 0, STREAM), "pageable host memory",
	     "the same, v1");
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, 99, 0, 0, 0, STREAM), NULL, "without the last");
	sizes[99] = 0;
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, 100, 0, 0, 0, STREAM), NULL,
	     "the last has no bytes");
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, 0, 0, 0, 0, 0), NULL, "an empty batch");
	says(WHY(cuMemcpyBatchAsync_v2, 0, b, n, 100, 0, 0, 0, STREAM), NULL, "a batch to nowhere");
	says(WHY(cuMemcpyBatchAsync_v2, a, b, end - 8, 2, 0, 0, 0, STREAM), NULL,
	     "sizes that cannot be read");
	says(WHY(cuMemcpyBatchAsync_v2, a, b, n, MANY, 0, 0, 0, STREAM), "pageable host memory",
	     "more than are looked at");
	says(WHY(cuMemcpy3DBatchAsync_v2, 1, op, 0, STREAM), NULL,
	     "a batch in 3D of pinned memory");
	says(WHY(cuMemcpy3DBatchAsync_v2, 2, op, 0, STREAM), "pageable host memory",
	     "the last is pageable");
	says(WHY(cuMemcpy3DBatchAsync_v2, 2, op, 0, CAPTURED), NULL, "captured");
	says(WHY(cuMemcpy3DBatchAsync, 2, op, 0, 0, STREAM), "pageable host memory",
	     "the same, v1");
	operations[1].extent.height = 0;
	says(WHY(cuMemcpy3DBatchAsync_v2, 2, op, 0, STREAM), NULL, "the last has no height");
	says(WHY(cuMemcpy3DBatchAsync_v2, UINT64_MAX, end - 8, 0, STREAM), NULL,
	     "what cannot be read");
}

static void unable(void)
{
	pid_t child;
	int status;

	refuses = true;
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PINNED, LARGE, STREAM), "pageable host memory",
	     "a driver that refuses");
	says(WHY(cuMemFree_v2, POOL), "frees memory", "... of a pool");
	child = fork();
	if (!child)
		_exit(!WHY(cuMemcpyDtoHAsync_v2, PINNED, DEVICE, 8, STREAM));
	ok(waitpid(child, &status, 0) == child && !status, "... in a forked child");
	refuses = false;
	lacking = true;
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PINNED, LARGE, STREAM), "pageable host memory",
	     "a driver without such functions");
	says(WHY(cuLaunchKernel, 1, 1, 1, 1, 1, 1, 1, 0, STREAM), NULL, "... a launch");
	lacking = false;
	errno = ENOTTY;
	WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, 8, STREAM);
	WHY(cuMemcpy3D_v2, 8);
	is_int(errno, ENOTTY, "errno is kept");
}

static bool is_text(const char *text)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i], text))
			return true;
	return !text;
}

static uint64_t any(char *end)
{
	static const uint64_t some[] = {
		0, 1, 2, 8, DEVICE, PINNED, MANAGED, POOL, PAGEABLE, STREAM, CAPTURED,
		UINT64_MAX, INT64_MIN
	};
	uint64_t chance = chance_word();

	switch (chance % 4) {
	case 0:
		return (uintptr_t)end - chance / 4 % 300;
	case 1:
		return chance_word();
	default:
		return some[chance / 4 % (sizeof(some) / sizeof(some[0]))];
	}
}

static void anything(void)
{
	int wrong = 0, said = 0, quiet = 0;
	char *end = edge();

	for (int i = -PAGE; i < 0; i++)
		end[i] = (char)(chance_word() % 5);
	unsafe = false;
	for (int id = 0; id < NROWS; id++)
		for (int round = 0; round < ROUNDS; round++) {
			uint64_t words[WORDS];
			const char *text;

			for (int i = 0; i < WORDS; i++)
				words[i] = any(end);
			text = why(id, words);
			wrong += text && (!is_text(text) || !has_row(rows[id].base));
			said += text != NULL;
			quiet += !text && has_row(rows[id].base);
		}
	is_int(wrong, 0, "any words: a text of the table, of a function that has a row");
	ok(said && quiet && !unsafe, "... and all of it was there");
}

/* A driver of which each address is what it says. */
static void simulation(void)
{
	static char here[64];
	CUdeviceptr device, managed;
	CUcontext context;
	CUstream stream;
	void *pinned;
	char path[PAGE];

	snprintf(path, sizeof(path), "%s/lib/cuaudit/sim/libcuda.so.1", getenv("top_builddir"));
	simulated = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!ok(simulated, "the simulated driver"))
		return;
	says(WHY(cuMemcpyHtoDAsync_v2, DEVICE, PAGEABLE, LARGE, STREAM), "pageable host memory",
	     "before cuInit");
	CUAUDIT_REAL(cuInit)(0);
	CUAUDIT_REAL(cuCtxCreate_v2)(&context, 0, 0);
	CUAUDIT_REAL(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING);
	CUAUDIT_REAL(cuMemAlloc_v2)(&device, sizeof(here));
	CUAUDIT_REAL(cuMemAllocManaged)(&managed, sizeof(here), CU_MEM_ATTACH_GLOBAL);
	CUAUDIT_REAL(cuMemHostAlloc)(&pinned, sizeof(here), 0);
#define COPY(to, from) WHY(cuMemcpyAsync, to, from, LARGE, (uintptr_t)stream)
	says(COPY(device, (uintptr_t)here), "pageable host memory", "pageable to device");
	says(COPY((uintptr_t)here, device), "pageable host memory", "device to pageable");
	says(COPY(device, (uintptr_t)pinned + 8), NULL, "pinned to device");
	says(COPY(managed, device), NULL, "device to managed");
	says(WHY(cuMemcpy, managed, device, 8), "host memory", "... without a stream");
	says(WHY(cuMemcpy, device + 8, device, 8), "legacy stream", "within the device");
	CUAUDIT_REAL(cuMemHostRegister_v2)(here, sizeof(here), 0);
	says(COPY(device, (uintptr_t)here), NULL, "registered to device");
	CUAUDIT_REAL(cuMemHostUnregister)(here);
	says(COPY(device, (uintptr_t)here), "pageable host memory", "unregistered to device");
	says(WHY(cuMemFree_v2, device), "frees memory", "cuMemFree");
	CUAUDIT_REAL(cuMemAllocAsync)(&device, 8, stream);
	says(WHY(cuMemFree_v2, device), NULL, "cuMemFree of a pool's");
	CUAUDIT_REAL(cuCtxDestroy_v2)(context);
	says(COPY(device, (uintptr_t)here), "pageable host memory", "without a context");
}

int main(void)
{
	addresses();
	nothing();
	streams();
	captured();
	typed();
	peers();
	batches();
	unable();
	anything();
	simulation();
	return done_testing();
}
