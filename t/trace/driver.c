/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that touches what it is given as little as its answers allow. */
#include <poll.h>
#include <signal.h>
#include <string.h>

typedef unsigned long long word;

/* What the next call answers, and what kernels are called. */
int trace_answer;
const char *trace_kernel = "first";

/* Whether cuFuncGetName fails. */
int trace_nameless;

/* How many nodes a graph is said to have; there is room for two. */
unsigned long long trace_nodes = 2;

/* How many ms unloading takes, and what it calls then; whether waiting has no end. */
int trace_waits;
void (*trace_back)(void);
int trace_hangs;

#define PUBLIC __attribute__((visibility("default")))
#define CALL(name, parameters, body) \
	PUBLIC int name parameters; \
	PUBLIC int name parameters \
	{ \
		if (!trace_answer) { \
			body; \
		} \
		return trace_answer; \
	}
#define UNUSED(name) (void)(name)

CALL(cuInit, (unsigned int flags), UNUSED(flags))
CALL(cuDriverGetVersion, (int *version), *version = 13000)
CALL(cuMemAlloc_v2, (word *address, word size), UNUSED(size); if (address) *address = 0x123456789abc)
CALL(cuMemGetInfo_v2, (word *free, word *total), *free = 0x1111111122222222; *total = 0x3333333344444444)
CALL(cuCtxGetDevice_v2, (int *device, void *context), UNUSED(context); *device = 0x55)
CALL(cuDevicePrimaryCtxGetState, (int device, unsigned int *flags, int *active),
     UNUSED(device); if (flags) *flags = 0x66; if (active) *active = 1)
CALL(cuDeviceGetName, (char *name, int length, int device),
     UNUSED(length); UNUSED(device); memset(name, 'n', 100); name[100] = '\0')
CALL(cuModuleGetFunction, (void **function, void *module, const char *name),
     UNUSED(module); UNUSED(name); *function = (void *)0x40)
CALL(cuPointerGetAttributes, (unsigned int count, int *attributes, void **data, word pointer),
     UNUSED(count); UNUSED(attributes); UNUSED(data); UNUSED(pointer))
CALL(cuGraphGetNodes, (void *graph, void **nodes, word *count),
     UNUSED(graph); *count = trace_nodes; if (nodes) memset(nodes, 0x11, 16))
CALL(cuDeviceGetPCIBusId, (char *name, int length, int device),
     UNUSED(device); if (length > 0) memset(name, 'b', (size_t)length))
CALL(cuLibraryGetKernelCount, (unsigned int *count, void *library), UNUSED(library); *count = 3)
CALL(cuLibraryEnumerateKernels, (void **kernels, unsigned int most, void *library),
     UNUSED(library); for (unsigned int i = 0; i < 3 && i < most; i++) kernels[i] = (char *)0 + 64 + i)
CALL(cuModuleGetFunctionCount, (unsigned int *count, void *module), UNUSED(module); *count = 3)
CALL(cuModuleEnumerateFunctions, (void **functions, unsigned int most, void *module),
     UNUSED(module); for (unsigned int i = 0; i < 3 && i < most; i++) functions[i] = (char *)0 + 80 + i)
CALL(cuMemcpy3D_v2, (const void *copy), UNUSED(copy))
CALL(cuMemsetD8_v2, (word address, unsigned char value, word count),
     UNUSED(address); UNUSED(value); UNUSED(count))
CALL(cuMemsetD16_v2, (word address, unsigned short value, word count),
     UNUSED(address); UNUSED(value); UNUSED(count))
CALL(cuTexRefSetMipmapLevelBias, (void *texture, float bias), UNUSED(texture); UNUSED(bias))
CALL(cuBrandNew, (word a, word b, word c, word d, word e, word f, word g),
     UNUSED(a); UNUSED(b); UNUSED(c); UNUSED(d); UNUSED(e); UNUSED(f); UNUSED(g))
CALL(cuLaunchKernel, (void *f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
		      unsigned int by, unsigned int bz, unsigned int bytes, void *stream,
		      void **parameters, void **extra),
     UNUSED(f); UNUSED(gx); UNUSED(gy); UNUSED(gz); UNUSED(bx); UNUSED(by); UNUSED(bz);
     UNUSED(bytes); UNUSED(stream); UNUSED(parameters); UNUSED(extra))
CALL(cuMemcpyBatchAsync, (word *to, word *from, word *sizes, word count, void *attributes,
			  word *indices, word nattributes, word *failed, void *stream),
     UNUSED(to); UNUSED(from); UNUSED(sizes); UNUSED(count); UNUSED(attributes); UNUSED(indices);
     UNUSED(nattributes); UNUSED(failed); UNUSED(stream))

struct handle {
	char bytes[64];
};
CALL(cuIpcOpenMemHandle_v2, (word *address, struct handle handle, unsigned int flags),
     UNUSED(handle); UNUSED(flags); *address = 5)
CALL(cuModuleUnload, (void *module),
     UNUSED(module); if (trace_waits) poll(NULL, 0, trace_waits); if (trace_back) trace_back())
CALL(cuCtxSynchronize, (void), if (trace_hangs) raise(SIGKILL))
#ifndef NO_NAMES
CALL(cuFuncGetName, (const char **name, void *function),
     UNUSED(function); if (trace_nameless) return 3; *name = trace_kernel)
#endif
