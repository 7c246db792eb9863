/* SPDX-License-Identifier: Apache-2.0 */
/* One call of each kind of argument, with what may be wrong with it. Status 1: an answer is not the driver's. */
#include <string.h>

#include "t/trace/driver.h"

static int call_all(void)
{
	static word many[100];
	int attributes[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	void *data[9] = { 0 }, *nodes[4], *bad = (void *)8;
	char name[200], copy[200];
	struct trace_handle handle;
	word address, count = 4, free, total;
	int failed;
	unsigned int flags;
	int device, active;

	memset(handle.bytes, 0x22, sizeof(handle.bytes));
	memset(copy, 0x33, sizeof(copy));
	cuInit(7);
	cuMemAlloc_v2(&address, 4096);
	cuMemAlloc_v2(0, 1);
	trace_answer = 2;
	failed = cuMemAlloc_v2(bad, 2) != 2;
	failed |= cuDevicePrimaryCtxGetState(3, bad, bad) != 2;
	cuModuleGetFunction(bad, bad, bad);
	cuPointerGetAttributes(3, bad, bad, 1);
	trace_answer = 0;
	cuMemGetInfo_v2(&free, &total);
	cuCtxGetDevice_v2(&device, bad);
	cuDevicePrimaryCtxGetState(7, &flags, &active);
	cuDevicePrimaryCtxGetState(7, 0, &active);
	cuDevicePrimaryCtxGetState(7, &flags, 0);
	cuDeviceGetName(name, 200, 0);
	memset(name, 'x', 66);
	name[66] = '\0';
	cuModuleGetFunction(data, bad, "short");
	cuModuleGetFunction(data, bad, "");
	cuModuleGetFunction(data, bad, name + 1);
	cuModuleGetFunction(data, bad, name + 2);
	cuPointerGetAttributes(2, attributes, data + 1, 1);
	cuPointerGetAttributes(8, attributes, data + 1, 1);
	cuPointerGetAttributes(9, attributes, data + 1, 1);
	cuPointerGetAttributes(0, bad, bad, 1);
	cuGraphGetNodes(bad, nodes, &count);
	cuGraphGetNodes(bad, 0, &count);
	cuMemcpy3D_v2(copy);
	cuMemsetD8_v2(1, 0x81, 2);
	cuMemsetD16_v2(1, 0x8182, 2);
	cuTexRefSetMipmapLevelBias(bad, 1.5f);
	cuBrandNew(1, 2, 3, 4, 5, 6, 7);
	cuLaunchKernel((void *)0x40, 1, 2, 3, 4, 5, 6, 7, (void *)9, bad, bad);
	cuIpcOpenMemHandle_v2(&address, handle, 3);
	cuMemcpyBatchAsync(many, many, many, 100, 0, 0, 0, 0, 0);
	return failed;
}

/* A second call from the same place goes another way than the first. */
int main(void)
{
	int failed = call_all();

	return call_all() | failed;
}
