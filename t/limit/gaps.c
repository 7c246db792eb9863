/* SPDX-License-Identifier: Apache-2.0 */
/* gaps pools | device | memory | import | submission: what the limit hook cannot count, on t/limit/driver.c. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cuaudit/cuda_types.h>

CUresult cuInit(unsigned int flags);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char byte, size_t count);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os,
					CUmemAllocationHandleType type);

/* The address space: next to nothing, so that there is no room for more; or what it was. */
static void room(rlim_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	CUmemGenericAllocationHandle handle;
	CUmemPoolProps props;
	CUmemoryPool pool;
	CUdeviceptr address;
	size_t free, total;

	memset(&props, 0, sizeof(props));
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	cuInit(0);
	setvbuf(stdout, NULL, _IONBF, 0);
	puts("begins");
	if (!strcmp(what, "pools"))
		for (int i = 0; i < 300; i++)
			cuMemPoolCreate(&pool, &props);
	else if (!strcmp(what, "device"))
		cuMemAlloc_v2(&address, 4096);
	else if (!strcmp(what, "submission"))
		cuMemsetD8_v2(0, 0, 0);
	if (!strcmp(what, "memory") || !strcmp(what, "import")) {
		cuMemGetInfo_v2(&free, &total);
		room(1 << 20);
	}
	if (!strcmp(what, "memory"))
		for (int i = 0; i < 20000; i++)
			cuMemAlloc_v2(&address, 512);
	else if (!strcmp(what, "import"))
		for (int i = 1; i < 20000; i++)
			cuMemImportFromShareableHandle(&handle, (void *)(uintptr_t)i, 0);
	room(RLIM_INFINITY);
	puts("ends");
	return 0;
}
