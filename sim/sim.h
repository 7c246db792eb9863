/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the simulated driver share: state, objects, ranges of memory. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api.h"

/* ---- state: state.c, which init.c sets up ---- */

enum { SIM_DEVICES = 2, SIM_VERSION = 13000 };

enum sim_state {
	SIM_NEW,
	SIM_READY,
	SIM_FORKED	/* a child of a process that had called cuInit */
};

extern atomic_int sim_state;

struct sim_config {
	size_t memory;		/* bytes of each device */
	uint64_t launch_ns;	/* time a kernel takes on its stream */
	int compute_mode;	/* of each device */
	int launches;		/* file that records launches, or -1 */
	_Atomic uint64_t *clock;	/* when each device is done, shared by processes, or NULL */
};

/* Written once by cuInit, before sim_state becomes SIM_READY. */
extern struct sim_config sim_config;

/* Pairs with the release in cuInit. */
static inline bool sim_ready(void)
{
	return atomic_load_explicit(&sim_state, memory_order_acquire) ==
	       SIM_READY;
}

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t sim_now(void);

/* Returns once sim_now() has reached time. */
void sim_wait(uint64_t time);

/* Opens the file by which processes share the devices' time: clock.c. */
bool sim_clock_open(const char *path);

/* Adds ns of work to a device of all processes, not before a moment; when it begins. */
uint64_t sim_clock_add(CUdevice device, uint64_t after, uint64_t ns);

/* A number that no other object of the process has. */
uint64_t sim_id(void);

/* Says in the driver's log why a function failed, NULL for no more than that, if it did; returns rc. */
CUresult sim_failed(CUresult rc, const char *function, const char *why);

/*
 * A function that answers with one value behind its parameter out: what it
 * checks the others by, and the variable that finds something out.
 */
#define GETTER(symbol, parameters, found, check, value) \
	CUresult symbol parameters \
	{ \
		found; \
		CUresult rc = check; \
\
		if (!rc && !out) \
			rc = CUDA_ERROR_INVALID_VALUE; \
		if (!rc) \
			*out = value; \
		return rc; \
	}

/* ---- objects: object.c ---- */

enum kind {
	KIND_FREE,
	KIND_ARRAY,
	KIND_CONTEXT,
	KIND_EVENT,
	KIND_FUNCTION,
	KIND_KERNEL,
	KIND_LIBRARY,
	KIND_MODULE,
	KIND_PHYSICAL,
	KIND_POOL,
	KIND_STREAM
};

struct object {
	_Atomic uint32_t kind;
	CUcontext context;	/* dies with it; NULL: with nobody */
	struct object *next;
};

enum { OBJECT_SIZE = 256, OBJECTS_MAX = 1 << 20 };

extern char *objects;
extern _Atomic size_t objects_end;

/* Reserves the address space that all handles lie in. */
CUresult object_setup(void);

/* A zeroed object of OBJECT_SIZE bytes, NULL when there are too many. */
void *object_new(enum kind kind, CUcontext context);

/*
 * Makes handle invalid. False if it is of another kind or another thread was
 * faster. The memory stays readable; call object_free once done with it.
 */
bool object_retire(void *object, enum kind kind);

void object_free(void *object);

/* The next object after *cursor (start: 0) that belongs to context, or NULL. */
void *object_next(CUcontext context, size_t *cursor);

/* The object, or NULL if handle is none of this kind. Never reads elsewhere. */
static inline void *object_find(const void *handle, enum kind kind)
{
	size_t offset = (uintptr_t)handle - (uintptr_t)objects;
	struct object *object = (struct object *)(uintptr_t)handle;

	if (!handle || offset % OBJECT_SIZE ||
	    offset >= atomic_load_explicit(&objects_end, memory_order_acquire))
		return NULL;
	if (atomic_load_explicit(&object->kind, memory_order_acquire) != kind)
		return NULL;
	return object;
}

/* What object_find gives, written to *object; the error of a driver that is not started, or of the handle. */
CUresult object_get(const void *handle, enum kind kind, void *object);

/* Makes the handle invalid and frees what it stands for. */
CUresult object_destroy(void *handle, enum kind kind);

/* ---- devices: device.c ---- */

static inline bool device_valid(CUdevice device)
{
	return device >= 0 && device < SIM_DEVICES;
}

/* Checks a device, and where an answer about it goes. */
static inline CUresult device_check(const void *out, CUdevice device)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	return device_valid(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* The value of an attribute, -1 if there is none of that number. */
int device_attribute(CUdevice device, int attribute);

/* Takes bytes of a device's memory; false if so many are not free. */
bool device_take(CUdevice device, size_t bytes);
void device_give(CUdevice device, size_t bytes);
size_t device_used(CUdevice device);

/* ---- contexts: context.c ---- */

enum { CONTEXT_LIMITS = 10 };

struct CUctx_st {
	struct object object;
	uint64_t id;
	CUstream legacy;	/* the default streams */
	CUstream per_thread;
	_Atomic uint64_t busy_until;
	size_t limits[CONTEXT_LIMITS];
	atomic_uint peers;	/* bit per device whose memory is open to us */
	unsigned int flags;
	unsigned int version;
	unsigned int cache;
	unsigned int shared;
	CUdevice device;
	atomic_bool alive;
	bool primary;
};

extern __thread CUcontext context_top
	__attribute__((tls_model("initial-exec")));

/* The context a call works in, checked. */
static inline CUresult context_current(CUcontext *context)
{
	CUcontext top = context_top;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!top)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!atomic_load_explicit(&top->alive, memory_order_acquire))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*context = top;
	return CUDA_SUCCESS;
}

/* What object_get does, for what only a thread with a context may ask for. */
CUresult context_object(const void *handle, enum kind kind, void *object);

/* Checks a context that was handed in; NULL means the current one. */
CUresult context_find(CUcontext handle, CUcontext *context);

/* Gives a context object its streams and defaults, and makes it live. */
CUresult context_start(CUcontext context, CUdevice device, unsigned int flags);

/* Frees all that belongs to the context, and makes it unusable: context_life.c. */
void context_stop(CUcontext context);

/* The devices' primary contexts, made by cuInit: primary.c. */
CUresult primary_setup(void);
CUcontext primary_context(CUdevice device);

/* ---- ranges of memory: range.c ---- */

enum range_kind {
	RANGE_DEVICE = 1,
	RANGE_GLOBAL = 2,	/* a variable of a module */
	RANGE_HOST = 4,
	RANGE_MANAGED = 8,
	RANGE_MAPPED = 16,	/* physical memory in a reserved range */
	RANGE_REGISTERED = 32
};

struct range {
	uintptr_t start;
	size_t size;
	enum range_kind kind;
	CUdevice device;
	CUcontext context;
	CUmemoryPool pool;
	struct physical *physical;	/* RANGE_MAPPED: what backs it */
	uint64_t id;
	unsigned int flags;
	unsigned int access[SIM_DEVICES];	/* RANGE_MAPPED */
};

/* INVALID_VALUE if it overlaps one that is known; copies *range. */
CUresult range_add(const struct range *range);

/* The range that addr is in. */
bool range_find(CUdeviceptr addr, struct range *range);

/* Takes the range of one of kinds that starts at addr out of the table. */
bool range_take(CUdeviceptr addr, unsigned int kinds, struct range *range);

/* Takes any range of the context. */
bool range_take_of(CUcontext context, struct range *range);

/* Sets the flags, and for RANGE_MAPPED the access, of the range at start. */
bool range_update(const struct range *range);

/* INVALID_VALUE unless all of [addr, addr + size) may be used by device. */
CUresult range_check(CUdeviceptr addr, size_t size);

/* ---- memory: memory.c ---- */

static inline void *pointer(CUdeviceptr addr)
{
	return (void *)(uintptr_t)addr;
}

/* Memory of the device, known as a range with the fields given in *range. */
CUresult memory_new(struct range *range, size_t size, int map_flags);

/* The same for the current context, INVALID_VALUE if it was not asked for in a valid way. */
CUresult memory_current(struct range *range, bool valid, size_t size, int map_flags);

/* Gives back what memory_new made; the range is already out of the table. */
void memory_drop(const struct range *range);

/* ---- streams and events: stream.c, event.c ---- */

struct CUstream_st {
	struct object object;
	uint64_t id;
	_Atomic uint64_t busy_until;
	unsigned int flags;
	int priority;
};

struct CUevent_st {
	struct object object;
	_Atomic uint64_t done_at;	/* 0: never recorded */
	atomic_bool pending;
	unsigned int flags;
};

/* The stream a handle names, default streams included, checked. */
CUresult stream_find(CUstream handle, CUstream *stream);

/* Adds ns of work to a stream; the moment it will be done. */
uint64_t stream_work(CUstream stream, uint64_t ns);

/* ---- pools: pool.c ---- */

struct CUmemPoolHandle_st {
	struct object object;
	CUdevice device;
	bool is_default;
	int reuse[3];
	uint64_t threshold;
	_Atomic uint64_t used;
	_Atomic uint64_t high;
	size_t max_size;
	unsigned int access;	/* bit per device */
};

/* ---- arrays: array.c ---- */

struct CUarray_st {
	struct object object;
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	size_t pitch;		/* bytes of a row */
	size_t rows;		/* of a slice */
	size_t slices;
	char *data;
};

void array_drop(CUarray array);

/* ---- copies: copy.c, box.c ---- */

/* Checks the stream of a call, then nothing: all work is done at once. */
CUresult copy_begin(CUstream stream);

/* Copies a box of bytes between any two of host, device and array. */
CUresult box_copy(const CUDA_MEMCPY3D *box);

#endif
