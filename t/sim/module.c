/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, libraries and launches of the simulated driver. */
#include <stdint.h>

#include "t/sim/check.h"

static const char ptx[] =
	"// a comment with .entry nothing(\n"
	".version 7.8\n"
	".target sm_52\n"
	".address_size 64\n"
	".extern .global .u32 elsewhere;\n"
	".visible .global .align 4 .f32 table[10] = { 0f00000000, 0f3F800000 };\n"
	".global .attribute(.managed) .align 8 .v2 .u64 both;\n"
	".const .align 4 .b8 constants[100];\n"
	".visible .func (.param .b32 r) helper(.param .b32 a)\n"
	"{\n\tret;\n}\n"
	"/* .entry hidden() */\n"
	".visible .entry saxpy(\n"
	"\t.param .u32 saxpy_n,\n"
	"\t.param .f32 saxpy_a,\n"
	"\t.param .u8 saxpy_flag,\n"
	"\t.param .u64 .ptr .global .align 16 saxpy_x,\n"
	"\t.param .align 8 .b8 saxpy_s[24]\n"
	")\n"
	".maxntid 16, 16, 1\n"
	"{\n"
	"\t.shared .align 4 .b8 tile[4096];\n"
	"\t{ .reg .b32 %r<3>; }\n"
	"\tret;\n"
	"}\n"
	".entry empty { ret; }\n";

static CUmodule module;
static CUfunction saxpy, empty;

static void load(void)
{
	static const char not_ptx[] = "this is not PTX";
	static const char newer[] = ".version 99.0\n.target sm_90\n";
	static const char open_brace[] = ".version 8.0\n.entry f() { ret;";
	static const unsigned char junk[64] = { 1, 2, 3 };
	CUmodule m;
	CUmoduleLoadingMode mode;
	CUfunction f, two[2];
	unsigned int n;

	RC(cuModuleLoadData(&m, NULL), 1);
	RC(cuModuleLoadData(NULL, ptx), 1);
	RC(cuModuleLoadData(&m, not_ptx), 218);
	RC(cuModuleLoadData(&m, newer), 222);
	RC(cuModuleLoadData(&m, open_brace), 218);
	RC(cuModuleLoadData(&m, junk), 200);
	RC(cuModuleLoad(&m, "/nowhere/none.cubin"), 301);
	GOOD(cuModuleGetLoadingMode(&mode));
	GOOD(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
	GOOD(cuModuleGetFunctionCount(&n, module));
	is_int(n, 2, "two kernels, no comment, no device function");
	GOOD(cuModuleGetFunction(&saxpy, module, "saxpy"));
	GOOD(cuModuleGetFunction(&f, module, "saxpy"));
	is_ptr(f, saxpy, "one handle a function");
	GOOD(cuModuleGetFunction(&empty, module, "empty"));
	GOOD(cuModuleEnumerateFunctions(two, 2, module));
	ok(two[0] == saxpy && two[1] == empty, "all functions");
	RC(cuModuleGetFunction(&f, module, "helper"), 500);
	RC(cuModuleGetFunction(&f, module, "hidden"), 500);
	RC(cuModuleGetFunction(&f, module, NULL), 1);
	RC(cuModuleGetFunction(&f, (CUmodule)saxpy, "saxpy"), 400);
}

static void globals(void)
{
	CUdeviceptr p;
	size_t size;
	int managed;

	GOOD(cuModuleGetGlobal_v2(&p, &size, module, "table"));
	is_int((long long)size, 40, "an array");
	GOOD(cuMemsetD32_v2(p, 1, 10));
	RC(cuMemsetD32_v2(p, 1, 11), 1);
	RC(cuMemFree_v2(p), 1);
	GOOD(cuModuleGetGlobal_v2(&p, &size, module, "both"));
	is_int((long long)size, 16, "a vector");
	GOOD(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
	is_int(managed, 1, "in managed memory");
	GOOD(cuModuleGetGlobal_v2(NULL, &size, module, "constants"));
	is_int((long long)size, 100, "constants");
	RC(cuModuleGetGlobal_v2(&p, &size, module, "elsewhere"), 500);
}

static void attributes(void)
{
	static const size_t want[][2] = {
		{ 0, 4 }, { 4, 4 }, { 8, 1 }, { 16, 8 }, { 24, 24 }
	};
	size_t offset, size;
	const char *name;
	CUmodule of;
	int n;

	GOOD(cuFuncGetName(&name, saxpy));
	is_str(name, "saxpy", "the name");
	GOOD(cuFuncGetModule(&of, saxpy));
	is_ptr(of, module, "the module");
	for (size_t i = 0; i < 5; i++) {
		GOOD(cuFuncGetParamInfo(saxpy, i, &offset, &size));
		ok(offset == want[i][0] && size == want[i][1],
		   "parameter %zu", i);
	}
	GOOD(cuFuncGetParamInfo(saxpy, 4, &offset, NULL));
	RC(cuFuncGetParamInfo(saxpy, 5, &offset, &size), 1);
	GOOD(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, saxpy));
	is_int(n, 4096, "static shared memory");
	GOOD(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
				saxpy));
	is_int(n, 256, "most threads of a block");
	RC(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX, saxpy), 1);
	RC(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL), 400);
	GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 256, 0));
	is_int(n, 8, "blocks that fit");
}

static int launch(CUfunction f, unsigned int grid, unsigned int block,
		  unsigned int shared, void **params, void **extra)
{
	return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, NULL, params,
			      extra);
}

static void launches(void)
{
	unsigned int n = 1;
	float a = 2;
	char flag = 0, s[24] = "", buffer[48] = "";
	CUdeviceptr x = 0;
	void *params[] = { &n, &a, &flag, &x, s };
	size_t size = sizeof(buffer), small = 47;
	void *extra[] = {
		CU_LAUNCH_PARAM_BUFFER_POINTER, buffer,
		CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END
	};
	CUlaunchAttribute cooperative = {
		.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
		.value.cooperative = 1,
	};
	CUlaunchConfig config = {
		.gridDimX = 2, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = 32, .blockDimY = 1, .blockDimZ = 1,
		.attrs = &cooperative, .numAttrs = 1,
	};
	CUlaunchConfig clusters = {
		.gridDimX = 2, .gridDimY = 2, .gridDimZ = 2,
		.blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .numAttrs = 1,
	};
	CUcontext other;

	GOOD(launch(saxpy, 1, 256, 0, params, NULL));
	GOOD(launch(saxpy, 7, 64, 128, NULL, extra));
	RC(launch(saxpy, 1, 1, 0, NULL, NULL), 1);
	RC(launch(saxpy, 1, 1, 0, params, extra), 1);
	extra[3] = &small;
	RC(launch(saxpy, 1, 1, 0, NULL, extra), 1);
	RC(launch(saxpy, 0, 1, 0, params, NULL), 1);
	RC(launch(saxpy, 1, 0, 0, params, NULL), 1);
	RC(launch(saxpy, 1, 257, 0, params, NULL), 1);
	RC(launch(empty, 1, 1025, 0, NULL, NULL), 1);
	RC(launch(empty, 0x80000000u, 1, 0, NULL, NULL), 1);
	RC(cuLaunchKernel(empty, 1, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL), 1);
	RC(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL), 1);
	RC(launch(empty, 1, 1, 49153, NULL, NULL), 1);
	GOOD(cuFuncSetAttribute(empty,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
	RC(cuFuncSetAttribute(empty,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449), 1);
	RC(cuFuncSetAttribute(empty,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1), 1);
	GOOD(launch(empty, 1, 1, 49153, NULL, NULL));
	RC(launch(NULL, 1, 1, 0, NULL, NULL), 400);
	RC(launch((CUfunction)module, 1, 1, 0, NULL, NULL), 400);
	GOOD(cuLaunchKernelEx(&config, empty, NULL, NULL));
	GOOD(cuLaunchKernelEx_ptsz(&config, empty, NULL, NULL));
	RC(cuLaunchKernelEx(NULL, empty, NULL, NULL), 1);
	for (int i = 0; i < 3; i++) {
		CUlaunchAttribute cluster = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
		unsigned int *grid[] = { &clusters.gridDimX, &clusters.gridDimY, &clusters.gridDimZ };

		cluster.value.clusterDim.x = cluster.value.clusterDim.y = cluster.value.clusterDim.z = 2;
		clusters.attrs = &cluster;
		GOOD(cuLaunchKernelEx(&clusters, empty, NULL, NULL));
		*grid[i] = 3;
		RC(cuLaunchKernelEx(&clusters, empty, NULL, NULL), 912);
		*grid[i] = 2;
	}
	RC(cuLaunchCooperativeKernel(empty, 100000, 1, 1, 1024, 1, 1, 0, NULL,
				     NULL), 720);
	GOOD(cuCtxCreate_v2(&other, 0, 1));
	RC(launch(empty, 1, 1, 0, NULL, NULL), 400);
	GOOD(cuCtxDestroy_v2(other));
}

static void libraries(void)
{
	CUlibrary library, of;
	CUkernel kernel;
	CUfunction f;
	CUmodule m;
	CUcontext other;
	const char *name;
	CUdeviceptr p, q;
	unsigned int n;
	size_t size;
	int carveout;

	GOOD(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	RC(cuLibraryLoadData(&of, "no", NULL, NULL, 0, NULL, NULL, 0), 218);
	GOOD(cuLibraryGetKernelCount(&n, library));
	is_int(n, 2, "two kernels");
	GOOD(cuLibraryGetKernel(&kernel, library, "empty"));
	RC(cuLibraryGetKernel(&kernel, library, "none"), 500);
	GOOD(cuKernelGetLibrary(&of, kernel));
	is_ptr(of, library, "its library");
	GOOD(cuKernelGetName(&name, kernel));
	is_str(name, "empty", "its name");
	GOOD(cuKernelGetAttribute(&carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
				  kernel, 0));
	is_int(carveout, -1, "a carveout nobody set");
	RC(cuKernelGetAttribute(&carveout, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 9), 101);
	RC(cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 9), 1);
	GOOD(launch((CUfunction)kernel, 1, 1, 0, NULL, NULL));
	GOOD(cuKernelGetFunction(&f, kernel));
	GOOD(launch(f, 1, 1, 0, NULL, NULL));
	GOOD(cuLibraryGetModule(&m, library));
	RC(cuModuleUnload(m), 800);
	GOOD(cuLibraryGetGlobal(&p, &size, library, "table"));
	GOOD(cuCtxCreate_v2(&other, 0, 1));
	GOOD(cuLibraryGetGlobal(&q, &size, library, "table"));
	ok(p != q, "each context has its own variables");
	GOOD(launch((CUfunction)kernel, 1, 1, 0, NULL, NULL));
	GOOD(cuCtxDestroy_v2(other));
	RC(cuLibraryGetManaged(&p, &size, library, "table"), 500);
	GOOD(cuLibraryGetManaged(&p, &size, library, "both"));
	GOOD(cuLibraryUnload(library));
	RC(cuLibraryUnload(library), 400);
	RC(launch((CUfunction)kernel, 1, 1, 0, NULL, NULL), 400);
	RC(launch(f, 1, 1, 0, NULL, NULL), 400);
}

int main(int argc, char **argv)
{
	size_t before, after, total;
	CUcontext context;
	CUmodule file;

	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&context, 0, 0));
	GOOD(cuMemGetInfo_v2(&before, &total));
	load();
	globals();
	attributes();
	launches();
	libraries();
	GOOD(cuModuleUnload(module));
	RC(cuModuleUnload(module), 400);
	RC(launch(empty, 1, 1, 0, NULL, NULL), 400);
	GOOD(cuMemGetInfo_v2(&after, &total));
	is_int((long long)after, (long long)before, "variables were freed");
	/* Other forms of the same code, where a compiler made them. */
	for (int i = 1; i < argc; i++) {
		size_t offset, size;
		int shared;

		is_int(cuModuleLoad(&file, argv[i]), 0, "%s", strrchr(argv[i], '/'));
		GOOD(cuModuleGetFunction(&saxpy, file, "saxpy"));
		GOOD(cuFuncGetParamInfo(saxpy, 4, &offset, &size));
		ok(offset == 24 && size == 24, "the last parameter");
		GOOD(cuFuncGetAttribute(&shared,
			CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, saxpy));
		is_int(shared, 0, "no shared memory of its own");
		GOOD(cuModuleGetGlobal_v2(NULL, &size, file, "table"));
		is_int((long long)size, 40, "its table");
	}
	GOOD(cuCtxDestroy_v2(context));
	return done_testing();
}
