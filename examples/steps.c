/* SPDX-License-Identifier: Apache-2.0 */
/* A program for a first gate, see docs/ci.md: each step takes a buffer more and never frees it. */
#if __has_include(<cuda.h>)
#include <cuda.h>
#else
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;

int cuInit(unsigned int flags);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuDevicePrimaryCtxRelease(int device);
int cuCtxSetCurrent(CUcontext context);
int cuMemAlloc(CUdeviceptr *address, __SIZE_TYPE__ size);
int cuMemFree(CUdeviceptr address);
int cuMemsetD8(CUdeviceptr address, unsigned char value, __SIZE_TYPE__ count);
#endif

enum { BUFFERS = 4, STEPS = 10, SIZE = 1 << 20 };

static int step(CUdeviceptr buffer)
{
	CUdeviceptr more;

	return cuMemAlloc(&more, SIZE) || cuMemsetD8(more, 1, SIZE) || cuMemsetD8(buffer, 1, SIZE);
}

int main(void)
{
	CUdeviceptr buffers[BUFFERS];
	CUcontext context;
	int failed;

	failed = cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context);
	for (int i = 0; !failed && i < BUFFERS; i++)
		failed = cuMemAlloc(&buffers[i], SIZE);
	for (int i = 0; !failed && i < STEPS; i++)
		failed = step(buffers[i % BUFFERS]);
	for (int i = 0; !failed && i < BUFFERS; i++)
		failed = cuMemFree(buffers[i]);
	return failed || cuDevicePrimaryCtxRelease(0);
}
