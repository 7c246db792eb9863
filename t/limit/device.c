/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver for the tests of shares, of what the simulated one has not: streams that are captured, graphs, events that
 * take their time, launches on two devices at once.
 *
 * DEVICE_CLOCK names a file by which processes share the devices' time. A kernel takes KERNEL_US, an event EVENT_US, on
 * its stream alone; a captured launch takes the host CAPTURE_US. DEVICE_ORDER=10: the second device is the first.
 * DEVICE_MIG: both are instances of one; DEVICE_OLD: there is no cuDeviceGetUuid_v2.
 */
#include "t/limit/device.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"))) CUresult

enum { DEVICES = 2 };

struct CUctx_st {
	int device;
	uint64_t id;
	atomic_int destroyed;	/* how often: it is made again */
};

struct CUgraph_st {
	uint64_t ns;
};

struct CUstream_st {
	int device, made;	/* of that destroyed; -1: it is no more */
	_Atomic uint64_t until;
	CUstreamCaptureMode mode;
	CUgraph graph;		/* not NULL: it is being captured */
	pthread_t thread;	/* by that one */
};

struct CUevent_st {
	int device, made;
	_Atomic uint64_t until;
};

__attribute__((visibility("default"))) struct device_calls device_calls;

static struct {
	_Atomic uint64_t until[DEVICES];
} *devices;

static uint64_t kernel_ns, event_ns, capture_ns;
static _Atomic uint64_t own_until[DEVICES];	/* the end of all that this process has submitted */
static struct CUctx_st contexts[DEVICES] = { { .device = 0, .id = 1 }, { .device = 1, .id = 2 } };
static struct CUstream_st legacy[DEVICES] = { { .device = 0 }, { .device = 1 } };
static _Thread_local CUcontext current;
static _Thread_local CUstreamCaptureMode thread_mode;
static _Thread_local int captures_here[3];	/* by mode */
static atomic_int captures_global, invalid;

static uint64_t clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void wait_until(uint64_t until)
{
	uint64_t now;

	while ((now = clock_ns()) < until)
		nanosleep(&(struct timespec){ .tv_nsec = until - now < 900000000 ? (long)(until - now) : 900000000 }, NULL);
}

static uint64_t microseconds(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) * 1000 : 0;
}

static void use(int device, int made)
{
	device_calls.dead += made != contexts[device].destroyed;
}

static CUstream stream_of(CUstream stream)
{
	if ((uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD)
		return &legacy[current ? current->device : 0];
	use(stream->device, stream->made);
	return stream;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The one that does the work of what the program knows by a number. */
static int physical(int device)
{
	const char *order = getenv("DEVICE_ORDER");

	return order ? order[device] - '0' : device;
}

/* The device does one after the other. */
static void work(CUstream stream, uint64_t ns)
{
	_Atomic uint64_t *at = &devices->until[physical(stream->device)];
	uint64_t until = atomic_load(at), from;

	do {
		from = later(later(until, stream->until), clock_ns());
	} while (!atomic_compare_exchange_weak(at, &until, from + ns));
	stream->until = from + ns;
	own_until[stream->device] = later(own_until[stream->device], stream->until);
	device_calls.ahead = later(device_calls.ahead, stream->until - clock_ns());
}

/* What may not be called amid some captures; by ours, never without leave. */
static bool is_unsafe(void)
{
	bool here = captures_here[0] || captures_here[1];

	device_calls.amid += here || captures_here[2];
	if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	if (!here && (thread_mode != CU_STREAM_CAPTURE_MODE_GLOBAL || !captures_global))
		return false;
	device_calls.unsafe++;
	invalid = 1;
	return true;
}

EXPORT cuInit(unsigned int flags)
{
	const char *path = getenv("DEVICE_CLOCK");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	void *map = MAP_FAILED;

	(void)flags;
	if (fd >= 0 && !ftruncate(fd, sizeof(*devices)))
		map = mmap(NULL, sizeof(*devices), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return CUDA_ERROR_UNKNOWN;
	devices = map;
	kernel_ns = microseconds("KERNEL_US");
	event_ns = microseconds("EVENT_US");
	capture_ns = microseconds("CAPTURE_US");
	return 0;
}

EXPORT cuDeviceGetCount(int *count)
{
	*count = DEVICES;
	return 0;
}

EXPORT cuDeviceGet(CUdevice *device, int number)
{
	*device = number;
	return (unsigned int)number < DEVICES ? 0 : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult uuid(CUuuid *its, int device)
{
	memset(its, 0, sizeof(*its));
	memcpy(its->bytes, "a device", 8);
	its->bytes[15] = (char)(physical(device) + 1);
	return 0;
}

EXPORT cuDeviceGetUuid_v2(CUuuid *its, CUdevice device)
{
	return getenv("DEVICE_OLD") ? CUDA_ERROR_NOT_SUPPORTED : uuid(its, device);
}

EXPORT cuDeviceGetUuid(CUuuid *its, CUdevice device)
{
	uuid(its, device);
	if (getenv("DEVICE_MIG"))
		its->bytes[15] = 99;
	return 0;
}

EXPORT cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	(void)attribute;
	(void)device;
	*value = 0;
	return 0;
}

EXPORT cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	(void)flags;
	*context = current = &contexts[device];
	return 0;
}

EXPORT cuCtxDestroy_v2(CUcontext context)
{
	context->destroyed++;
	if (current == context)
		current = NULL;
	return 0;
}

EXPORT cuCtxSetCurrent(CUcontext context)
{
	current = context;
	return 0;
}

EXPORT cuCtxGetCurrent(CUcontext *context)
{
	*context = current;
	return 0;
}

EXPORT cuCtxPushCurrent_v2(CUcontext context)
{
	current = context;
	return 0;
}

EXPORT cuCtxGetDevice(CUdevice *device)
{
	if (!current)
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = current->device;
	return 0;
}

EXPORT cuCtxGetId(CUcontext context, unsigned long long *id)
{
	context = context ?: current;
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*id = context->id;
	return 0;
}

EXPORT cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	*context = &contexts[stream_of(stream)->device];
	return 0;
}

EXPORT cuStreamCreate(CUstream *stream, unsigned int flags)
{
	(void)flags;
	*stream = calloc(1, sizeof(**stream));
	(*stream)->device = current->device;
	(*stream)->made = current->destroyed;
	return 0;
}

/* It stays, to be seen used. */
EXPORT cuStreamDestroy_v2(CUstream stream)
{
	stream_of(stream)->made = -1;
	return 0;
}

EXPORT cuStreamQuery(CUstream stream)
{
	return stream_of(stream)->until > clock_ns() ? CUDA_ERROR_NOT_READY : 0;
}

EXPORT cuStreamSynchronize(CUstream stream)
{
	wait_until(stream_of(stream)->until);
	return 0;
}

EXPORT cuCtxSynchronize(void)
{
	wait_until(own_until[current->device]);
	return 0;
}

EXPORT cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = thread_mode;

	thread_mode = *mode;
	*mode = before;
	return 0;
}

EXPORT cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	*status = stream_of(stream)->graph ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
	return 0;
}

EXPORT cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	(void)flags;
	*graph = calloc(1, sizeof(**graph));
	return 0;
}

EXPORT cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	cuGraphCreate(&stream->graph, 0);
	stream->mode = mode;
	stream->thread = pthread_self();
	captures_here[mode]++;
	captures_global += mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
	return 0;
}

EXPORT cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	*graph = stream->graph;
	stream->graph = NULL;
	captures_here[stream->mode]--;
	captures_global -= stream->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
	return invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : 0;
}

EXPORT cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUgraph child)
{
	(void)behind;
	(void)count;
	*node = (CUgraphNode)child;
	graph->ns += child->ns;
	return 0;
}

EXPORT cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)flags;
	*exec = (CUgraphExec)graph;
	return 0;
}

static CUresult launch(CUstream stream, uint64_t ns)
{
	stream = stream_of(stream);
	device_calls.launches++;
	if (!stream->graph) {
		work(stream, ns);
		return 0;
	}
	stream->graph->ns += ns;
	wait_until(clock_ns() + capture_ns);
	return 0;
}

EXPORT cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return launch(stream, ((CUgraph)exec)->ns);
}

EXPORT cuLaunchKernel(CUfunction function, unsigned int x, unsigned int y, unsigned int z, unsigned int block_x,
		      unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters,
		      void **extra)
{
	(void)function;
	(void)x;
	(void)y;
	(void)z;
	(void)block_x;
	(void)block_y;
	(void)block_z;
	(void)shared;
	(void)parameters;
	(void)extra;
	return launch(stream, kernel_ns);
}

EXPORT cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned int count, unsigned int flags)
{
	(void)flags;
	for (unsigned int i = 0; i < count; i++)
		launch(list[i].hStream, kernel_ns);
	return 0;
}

EXPORT cuEventCreate(CUevent *event, unsigned int flags)
{
	(void)flags;
	if (is_unsafe())
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	*event = calloc(1, sizeof(**event));
	(*event)->device = current->device;
	(*event)->made = current->destroyed;
	return 0;
}

EXPORT cuEventDestroy_v2(CUevent event)
{
	use(event->device, event->made);
	event->made = -1;
	return 0;
}

EXPORT cuEventRecord(CUevent event, CUstream stream)
{
	stream = stream_of(stream);
	use(event->device, event->made);
	device_calls.records++;
	if (stream->graph) {
		device_calls.captured++;
		return 0;
	}
	stream->until = later(stream->until, clock_ns()) + event_ns;
	event->until = stream->until;
	own_until[stream->device] = later(own_until[stream->device], stream->until);
	return 0;
}

EXPORT cuEventSynchronize(CUevent event)
{
	if (is_unsafe())
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	use(event->device, event->made);
	wait_until(event->until);
	return 0;
}

EXPORT cuEventQuery(CUevent event)
{
	if (is_unsafe())
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	use(event->device, event->made);
	return event->until > clock_ns() ? CUDA_ERROR_NOT_READY : 0;
}
