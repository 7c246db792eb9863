/* SPDX-License-Identifier: Apache-2.0 */
/* Start, devices and error names of the simulated driver; what a fork leaves. */
#include <sys/wait.h>
#include <unistd.h>

#include "t/sim/check.h"

static const struct {
	CUresult result;
	const char *name;
} results[] = {
#include "t/sim/results.inc"
};

static void before_init(void)
{
	CUcontext context;
	CUdeviceptr p;
	CUdevice dev;
	CUstream stream;
	int n = -1;

	GOOD(cuDriverGetVersion(&n));
	is_int(n, 13000, "the version needs no cuInit");
	RC(cuDriverGetVersion(NULL), 1);
	RC(cuDeviceGet(&dev, 0), 3);
	RC(cuDeviceGetCount(&n), 3);
	RC(cuCtxGetCurrent(&context), 3);
	RC(cuCtxSetCurrent(NULL), 3);
	RC(cuCtxCreate_v2(&context, 0, 0), 3);
	RC(cuDevicePrimaryCtxRetain(&context, 0), 3);
	RC(cuMemAlloc_v2(&p, 16), 3);
	RC(cuMemFree_v2(16), 3);
	RC(cuMemcpyHtoD_v2(16, &n, 4), 3);
	RC(cuStreamCreate(&stream, 0), 3);
	RC(cuEventQuery((CUevent)&n), 3);
	RC(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 3);
	RC(cuInit(1), 1);
	RC(cuDeviceGetCount(&n), 3);
	GOOD(cuInit(0));
	GOOD(cuInit(0));
}

static void devices(void)
{
	char name[64], bus[16], small[8];
	CUuuid a, b;
	CUdevice dev;
	size_t total;
	int n, major, minor, bad = 0;

	GOOD(cuDeviceGetCount(&n));
	is_int(n, 2, "two devices");
	GOOD(cuDeviceGet(&dev, 1));
	is_int(dev, 1, "the second device");
	RC(cuDeviceGet(&dev, 2), 101);
	RC(cuDeviceGet(&dev, -1), 101);
	RC(cuDeviceGet(NULL, 0), 1);
	GOOD(cuDeviceGetName(name, sizeof(name), 1));
	is_str(name, "cuaudit simulated device", "the name");
	GOOD(cuDeviceGetName(small, sizeof(small), 0));
	is_str(small, "cuaudit", "the name, cut");
	RC(cuDeviceGetName(name, 0, 0), 1);
	RC(cuDeviceGetName(name, sizeof(name), 7), 101);
	GOOD(cuDeviceTotalMem_v2(&total, 0));
	is_int((long long)total, 1 << 30, "1 GiB");
	GOOD(cuDeviceGetUuid_v2(&a, 0));
	GOOD(cuDeviceGetUuid_v2(&b, 1));
	ok(memcmp(&a, &b, sizeof(a)), "UUIDs differ");
	GOOD(cuDeviceGetPCIBusId(bus, sizeof(bus), 1));
	is_str(bus, "0000:02:00.0", "the bus id");
	GOOD(cuDeviceGetByPCIBusId(&dev, bus));
	is_int(dev, 1, "the device of the bus id");
	RC(cuDeviceGetByPCIBusId(&dev, "0000:09:00.0"), 101);
	GOOD(cuDeviceComputeCapability(&major, &minor, 0));
	is_int(major * 10 + minor, 90, "compute capability 9.0");
	RC(cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0), 1);
	RC(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MAX, 0), 1);
	RC(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 5), 101);
	for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
		bad += cuDeviceGetAttribute(&n, (CUdevice_attribute)i, 0) != 0;
	is_int(bad, 0, "every attribute has a value");
	GOOD(cuDeviceCanAccessPeer(&n, 0, 1));
	is_int(n, 1, "one device reaches the other");
	GOOD(cuDeviceCanAccessPeer(&n, 0, 0));
	is_int(n, 0, "none is its own peer");
}

static void errors(void)
{
	const char *name, *text;
	int wrong = 0, n = sizeof(results) / sizeof(results[0]);

	for (int i = 0; i < n; i++) {
		if (cuGetErrorName(results[i].result, &name) ||
		    cuGetErrorString(results[i].result, &text) ||
		    strcmp(name, results[i].name) || !*text) {
			diag("%s", results[i].name);
			wrong++;
		}
	}
	ok(n > 90, "%d results", n);
	is_int(wrong, 0, "each has its name and a text");
	name = "x";
	RC(cuGetErrorName((CUresult)12345, &name), 1);
	is_ptr(name, NULL, "no name is NULL");
	RC(cuGetErrorString(CUDA_SUCCESS, NULL), 1);
}

static void lacking(void)
{
	static const CUuuid id;
	CUuuid runtime = { { 0 } };
	const void *table = &id;
	CUgraph graph;
	void *pfn;

	RC(cuGraphCreate(&graph, 0), 801);
	RC(cuGetExportTable(&table, &id), 500);
	is_ptr(table, NULL, "no export table");
	memcpy(&runtime, "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9", sizeof(runtime));
	for (int i = 0; i < 2; i++)
		RC(cuGetExportTable(&table, &runtime), 500);
	RC(cuGetProcAddress("cuNothing", &pfn, 12000, 0), 500);
}

/* In the child; its status is what failed. */
static int child(CUcontext context)
{
	CUcontext current;
	CUdeviceptr p;
	int n;

	return (cuCtxGetCurrent(&current) != 3) |
	       (cuMemAlloc_v2(&p, 16) != 3) << 1 |
	       (cuDeviceGetCount(&n) != 3) << 2 |
	       (cuInit(0) != 3) << 3 |
	       (cuCtxPushCurrent_v2(context) != 3) << 4 |
	       (cuDriverGetVersion(&n) != 0) << 5;
}

static void forks(void)
{
	CUcontext context;
	int status = -1;
	pid_t pid;

	GOOD(cuCtxCreate_v2(&context, 0, 0));
	pid = fork();
	if (!pid)
		_exit(child(context));
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a child");
	is_int(WEXITSTATUS(status), 0, "in which the driver is not initialised");
	GOOD(cuCtxDestroy_v2(context));
}

int main(void)
{
	before_init();
	devices();
	errors();
	lacking();
	forks();
	return done_testing();
}
