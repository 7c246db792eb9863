/* SPDX-License-Identifier: Apache-2.0 */
/* Adds two vectors with the CUDA driver, which it finds in the way its argument names. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>

enum { N = 1 << 16, BLOCK = 256, LAUNCHES = 10 };

/* y += a * x */
static const char saxpy[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %i, %n, %b, %d;\n"
	"	.reg .f32 %a, %x, %y;\n"
	"	.reg .b64 %px, %py, %o;\n"
	"	ld.param.u32 %n, [n];\n"
	"	mov.u32 %b, %ctaid.x;\n"
	"	mov.u32 %d, %ntid.x;\n"
	"	mov.u32 %i, %tid.x;\n"
	"	mad.lo.u32 %i, %b, %d, %i;\n"
	"	setp.ge.u32 %p, %i, %n;\n"
	"	@%p bra done;\n"
	"	ld.param.f32 %a, [a];\n"
	"	ld.param.u64 %px, [x];\n"
	"	ld.param.u64 %py, [y];\n"
	"	cvta.to.global.u64 %px, %px;\n"
	"	cvta.to.global.u64 %py, %py;\n"
	"	mul.wide.u32 %o, %i, 4;\n"
	"	add.u64 %px, %px, %o;\n"
	"	add.u64 %py, %py, %o;\n"
	"	ld.global.f32 %x, [%px];\n"
	"	ld.global.f32 %y, [%py];\n"
	"	fma.rn.f32 %y, %a, %x, %y;\n"
	"	st.global.f32 [%py], %y;\n"
	"done:\n"
	"	ret;\n"
	"}\n";

/* The functions called below. */
#define FUNCTIONS(F)           \
	F(cuCtxCreate_v2)      \
	F(cuCtxDestroy_v2)     \
	F(cuCtxSynchronize)    \
	F(cuDeviceGet)         \
	F(cuDeviceGetCount)    \
	F(cuDeviceGetName)     \
	F(cuDriverGetVersion)  \
	F(cuInit)              \
	F(cuLaunchKernel)      \
	F(cuMemAlloc_v2)       \
	F(cuMemFree_v2)        \
	F(cuMemcpyDtoH_v2)     \
	F(cuMemcpyHtoD_v2)     \
	F(cuModuleGetFunction) \
	F(cuModuleLoadData)    \
	F(cuModuleUnload)

/* Their types. A row without parameters leaves its list empty. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define SEP ,
#define P(direction, type, name) type
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	typedef CUresult symbol##_type(params);
#include <cuaudit/driver_api.def>
#undef CUAPI
#undef P
#undef SEP
#pragma GCC diagnostic pop

#ifdef DEMO_LINKED

#define DECLARE(symbol) extern symbol##_type symbol;
FUNCTIONS(DECLARE)
#define DRIVER(symbol) symbol

static int find(const char *how)
{
	return strcmp(how, "linked");
}

#else

static struct {
#define FIELD(symbol) symbol##_type *symbol;
	FUNCTIONS(FIELD)
} driver;
#define DRIVER(symbol) driver.symbol

/* What cuGetProcAddress wants to be asked. */
static const struct {
	const char *base;
	int version;
} rows[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	[id] = { #base, version },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

static void *libcuda;
static cuGetProcAddress_v2_type *procaddr;

static void *look_up(const char *symbol, int id)
{
	void *found = NULL;

	if (procaddr)
		procaddr(rows[id].base, &found, rows[id].version, 0, NULL);
	else
		found = dlsym(libcuda, symbol);
	if (!found) {
		fprintf(stderr, "cudemo: the driver has no %s\n", symbol);
		exit(1);
	}
	return found;
}

static int find(const char *how)
{
	if (strcmp(how, "dlopen") && strcmp(how, "procaddr"))
		return -1;
	libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	if (!libcuda) {
		fprintf(stderr, "cudemo: %s\n", dlerror());
		exit(1);
	}
	if (!strcmp(how, "procaddr"))
		procaddr = look_up("cuGetProcAddress_v2", CUAUDIT_ID_cuGetProcAddress_v2);
#define FIND(symbol) driver.symbol = look_up(#symbol, CUAUDIT_ID_##symbol);
	FUNCTIONS(FIND)
	return 0;
}

#endif

#define CALL(symbol, ...) check(#symbol, DRIVER(symbol)(__VA_ARGS__))

static void check(const char *name, CUresult result)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "cudemo: %s: error %d\n", name, (int)result);
	exit(1);
}

static void launch(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y)
{
	unsigned int n = N;
	void *params[] = { &n, &a, &x, &y };

	CALL(cuLaunchKernel, function, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL);
}

/* Numbers small enough to be exact in a float. */
static int wrong(const float *y, float slope)
{
	int count = 0;

	for (int i = 0; i < N; i++)
		count += y[i] != (float)(N - i) + slope * (float)i;
	return count;
}

static int run(int simulated)
{
	static float x[N], y[N];
	CUdeviceptr dx, dy;
	CUfunction function;
	CUmodule module;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = (float)(N - i);
	}
	CALL(cuMemAlloc_v2, &dx, sizeof(x));
	CALL(cuMemAlloc_v2, &dy, sizeof(y));
	CALL(cuMemcpyHtoD_v2, dx, x, sizeof(x));
	CALL(cuMemcpyHtoD_v2, dy, y, sizeof(y));
	CALL(cuModuleLoadData, &module, saxpy);
	CALL(cuModuleGetFunction, &function, module, "saxpy");
	for (int i = 0; i < LAUNCHES; i++)
		launch(function, 2, dx, dy);
	CALL(cuCtxSynchronize);
	memset(y, 0, sizeof(y));
	CALL(cuMemcpyDtoH_v2, y, dy, sizeof(y));
	CALL(cuModuleUnload, module);
	CALL(cuMemFree_v2, dx);
	CALL(cuMemFree_v2, dy);
	return wrong(y, simulated ? 0 : 2 * LAUNCHES);
}

int main(int argc, char **argv)
{
	CUcontext context;
	CUdevice device;
	char name[128];
	int count, simulated, version, bad;

	if (argc != 2 || find(argv[1])) {
		fprintf(stderr, "usage: cudemo dlopen|procaddr, cudemo-linked linked\n");
		return 2;
	}
	CALL(cuInit, 0);
	CALL(cuDriverGetVersion, &version);
	CALL(cuDeviceGetCount, &count);
	CALL(cuDeviceGet, &device, 0);
	CALL(cuDeviceGetName, name, sizeof(name), device);
	CALL(cuCtxCreate_v2, &context, 0, device);
	simulated = !strncmp(name, "cuaudit", 7);
	bad = run(simulated);
	CALL(cuCtxDestroy_v2, context);
	printf("%s: driver %d, %d devices, %s: %d numbers %s, %d wrong\n", argv[1], version, count,
	       name, N, simulated ? "copied" : "added", bad);
	return bad != 0;
}
