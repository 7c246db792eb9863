/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose functions do nothing: what is timed is the way to them. */
#define EXPORT __attribute__((visibility("default"), noinline))

/* Known functions of one argument; each case of the benchmark has its own. */
#define NOTHING(name) \
	EXPORT int name(void *argument); \
	int name(void *argument) \
	{ \
		__asm__ volatile("" : : "r"(argument) : "memory"); \
		return 0; \
	}

int cuDriverGetVersion(int *version);

EXPORT int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

EXPORT int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
	*count = 1;
	return 0;
}

EXPORT int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

EXPORT int cuDeviceGetUuid_v2(char *uuid, int device);
int cuDeviceGetUuid_v2(char *uuid, int device)
{
	(void)device;
	for (int i = 0; i < 16; i++)
		uuid[i] = 'u';
	return 0;
}

EXPORT int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device)
{
	*device = 0;
	return 0;
}

/* Addresses that are the caller's own, so that threads need share none. */
EXPORT int cuMemAlloc_v2(unsigned long long *address, unsigned long long size);
int cuMemAlloc_v2(unsigned long long *address, unsigned long long size)
{
	(void)size;
	*address = (unsigned long long)address;
	return 0;
}

EXPORT int cuCtxGetDevice_v2(int *device, void *context);
int cuCtxGetDevice_v2(int *device, void *context)
{
	(void)context;
	*device = 0;
	return 0;
}

EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active);
int cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active)
{
	(void)device;
	*flags = 0;
	*active = 1;
	return 0;
}

EXPORT int cuCtxGetId(void *context, unsigned long long *id);
int cuCtxGetId(void *context, unsigned long long *id)
{
	(void)context;
	*id = 1;
	return 0;
}

NOTHING(cuInit)
NOTHING(cuCtxGetCurrent)
NOTHING(cuEventQuery)
NOTHING(cuStreamQuery)
NOTHING(cuCtxGetApiVersion)
NOTHING(cuCtxGetFlags)
NOTHING(cuCtxSetCurrent)
NOTHING(cuCtxPopCurrent_v2)
NOTHING(cuEventDestroy_v2)
NOTHING(cuMemFree_v2)
NOTHING(cuNewUnknown)

int cuEventCreate(void **event, unsigned int flags);

EXPORT int cuEventCreate(void **event, unsigned int flags)
{
	(void)flags;
	/* One handle a thread, as a caller's own word is. */
	*event = event;
	return 0;
}

/* Of a device that has done all at once, and streams that nobody captures: what a lease asks. */
int cuEventRecord(void *event, void *stream);

EXPORT int cuEventRecord(void *event, void *stream)
{
	__asm__ volatile("" : : "r"(event), "r"(stream) : "memory");
	return 0;
}

int cuStreamIsCapturing(void *stream, int *status);

EXPORT int cuStreamIsCapturing(void *stream, int *status)
{
	(void)stream;
	*status = 0;
	return 0;
}

int cuThreadExchangeStreamCaptureMode(int *mode);

EXPORT int cuThreadExchangeStreamCaptureMode(int *mode)
{
	static __thread int current;
	int before = current;

	current = *mode;
	*mode = before;
	return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name);

/* The one kernel, which bench.c launches. */
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
	(void)module, (void)name;
	*function = (void *)64;
	return 0;
}

EXPORT int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
			  unsigned int bx, unsigned int by, unsigned int bz,
			  unsigned int shared, void *stream, void **params, void **extra);
int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
		   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
		   void *stream, void **params, void **extra)
{
	(void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)params;
	__asm__ volatile("" : : "r"(f), "r"(extra), "r"(stream) : "memory");
	return 0;
}
