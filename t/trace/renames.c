/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and unloads modules whose kernels get the handles of those before. The argument is how
 * many; each kernel's name ends in its number + 1, which is its grid as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/cuda_types.h>

CUresult cuInit(unsigned int flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleUnload(CUmodule module);
CUresult cuLaunchKernel(CUfunction function, unsigned int x, unsigned int y, unsigned int z,
			unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
			CUstream stream, void **params, void **extra);

enum { LONG = 600 };

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;
	char name[LONG + 32], image[LONG + 256];
	CUfunction function;
	CUcontext context;
	CUmodule module;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0))
		return 1;
	memset(name, 'n', LONG);
	for (long i = 1; i <= count; i++) {
		snprintf(name + LONG, sizeof(name) - LONG, "_%ld", i);
		snprintf(image, sizeof(image), ".version 8.0\n.target sm_80\n.address_size 64\n"
			 ".visible .entry %s()\n{\n ret;\n}\n", name);
		if (cuModuleLoadData(&module, image) || cuModuleGetFunction(&function, module, name) ||
		    cuLaunchKernel(function, (unsigned int)i, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) ||
		    cuModuleUnload(module))
			return 1;
	}
	return 0;
}
