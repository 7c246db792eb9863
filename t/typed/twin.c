/* SPDX-License-Identifier: Apache-2.0 */
/* Sets memory of the simulated driver by functions' per-thread twins. */
#include <cuaudit/cuda_types.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/api.h"

int main(int argc, char **argv)
{
	CUdeviceptr pointer;
	CUcontext context;
	char bytes[4] = { '#', '#', '#', '#' };

	(void)argc;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
	    cuMemAlloc_v2(&pointer, 4) || cuMemcpyHtoD_v2(pointer, bytes, 4) ||
	    !dlopen(getenv("CORE"), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) ||
	    !dlopen(argv[1], RTLD_NOW) || cuMemsetD8_v2_ptds(pointer, '!', 4) ||
	    cuMemsetD8Async_ptsz(pointer + 2, '?', 2, NULL) || cuStreamSynchronize(NULL) ||
	    cuMemcpyDtoH_v2(bytes, pointer, 4))
		return 1;
	printf("%.4s\n", bytes);
	return 0;
}
