/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the fat binary inside a program, and finds the kernel in it. */
#include <cuaudit/cuda_types.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 22 };

CUresult cuInit(unsigned int flags);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);

static char file[ROOM];

/* magic, version 1, 16 bytes of header */
static const char container[] = "\x50\xed\x55\xba\x01\0\x10";

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t size = in ? fread(file, 1, sizeof(file), in) : 0;
	char *image = memmem(file, size, container, sizeof(container));
	CUcontext context;
	CUmodule module;
	CUfunction function;

	if (!image || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context) || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "saxpy")) {
		printf("no kernel in %s\n", argc > 1 ? argv[1] : "nothing");
		return 1;
	}
	fclose(in);
	return 0;
}
