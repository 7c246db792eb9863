/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the fake driver, for programs that link to it. */
#ifndef T_FAKE_DRIVER_H
#define T_FAKE_DRIVER_H

#include <stddef.h>

#define FAKE_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

struct fake_handle {
	unsigned char bytes[64];
};

struct fake_pair {
	long first, second;
};

/* How many calls of the function arrived; no function of the driver. */
int cuaudit_fake_calls(const char *name);

/* The driver's own address of what cuGetProcAddress answers, or NULL. */
void *cuaudit_fake_address(const char *name);

/* What dlsym answers the driver itself. */
void *cuaudit_fake_dlsym(const char *name);

/*
 * In record.S: any prototype, writes what it finds in the registers and on
 * the stack to fake_record and returns 0, other caller-saved registers lost.
 */
#ifdef __aarch64__
enum { FAKE_REGS = 8, FAKE_KEPT = 19, FAKE_STACK_REST = 0 };
#else
enum { FAKE_REGS = 6, FAKE_KEPT = 6, FAKE_STACK_REST = 8 };
#endif
enum { FAKE_STACK_WORDS = 24 };
extern struct fake_record {
	unsigned long regs[FAKE_REGS];
	unsigned long extra;		/* rax, or x8; after a call its result */
	unsigned long kept[FAKE_KEPT];	/* by a callee; the frame pointer comes last */
	unsigned long sp;		/* FAKE_STACK_REST more than a multiple of 16 */
	double vectors[8][2];
	unsigned long stack[FAKE_STACK_WORDS];
} fake_record;
int cuNewRegisters(void);
int cuProfilerStop(void);
int cuEventRecord(void);
int cuMemcpyPeerAsync(void);
int cuLaunchKernel_ptsz(void);
int cuTensorMapEncodeIm2colWide(void);

int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);
int cuCtxGetCurrent(void **context);
int cuMemAlloc_v2(unsigned long long *pointer, size_t size);
int cuStreamQuery(void *stream);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
		   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
		   void *stream, void **params, void **extra);
int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *f, size_t (*memory)(int),
					      size_t fixed, int limit, unsigned int flags);
int cuLaunchCooperativeKernel(void (*f)(void *), unsigned int gx, unsigned int gy,
			      unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
			      unsigned int shared, void *stream, void *params);
/* What cuCtxSetCurrent takes here for a context, and calls back at once. */
struct fake_callback {
	void (*function)(void *data);
	void *data;
};
int cuCtxSetCurrent(struct fake_callback *callback);
int cuNewCallback(void (*function)(void *), void *data);
int cuNewErrno(int value);
int cuIpcOpenMemHandle_v2(unsigned long long *pointer, struct fake_handle handle,
			  unsigned int flags);
int cuTexRefSetMipmapLevelClamp(void *texture, float low, float high);
int cuNewIntegers(long a, long b, long c, long d, long e, long f, long g, long h, long i,
		  long j, long k, long l, long m, long n, long o, long p);
int cuNewStructure(int before, struct fake_handle handle, int after);
int cuNewFloats(double a, int one, float b, double c, double d, double e, double f, double g,
		double h, double i, long two);
double cuNewReal(double x);
struct fake_pair cuNewPair(long x);
struct fake_pair cuNewPairAfter(void (*function)(void *), void *data);
int cuNewVariadic(int count, ...);
int cuNewSelf(void);
int cuGetProcAddress(const char *name, void **answer, int version, unsigned long long flags);
int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long long flags,
			int *status);
int cuGetExportTable(const void **table, const unsigned char *uuid);

#ifdef __cplusplus
}
#endif
#endif
