/* SPDX-License-Identifier: Apache-2.0 */
/* Has kernels by all ways there are, of the simulated driver; hands them to what takes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/api.h"

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry one()\n{\n ret;\n}\n.visible .entry two()\n{\n ret;\n}\n";

static CUmodule load(const char *name, CUfunction *function)
{
	char text[70000], *at = text + sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n");
	CUmodule module;

	sprintf(at, ".visible .entry %.65000s()\n{\n ret;\n}\n", name);
	if (cuModuleLoadData(&module, text) || cuModuleGetFunction(function, module, name))
		exit(2);
	return module;
}

static void launch(CUfunction function, unsigned int threads)
{
	cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, NULL, NULL);
}

static void by_structures(CUfunction function, CUkernel kernel)
{
	CUDA_KERNEL_NODE_PARAMS_v1 old = { .func = function };
	CUDA_KERNEL_NODE_PARAMS params = { .func = function }, by_kernel = { .kern = kernel };
	CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = { .func = function } };
	CUgraphNodeParams other = { .type = CU_GRAPH_NODE_TYPE_MEMSET, .kernel = { .func = function } };
	CUDA_LAUNCH_PARAMS several[2] = { { .function = function }, { .function = function } };
	CUgraphNode node = NULL;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cuGraphAddKernelNode(&node, NULL, NULL, 0, &old);
	cuGraphAddKernelNode_v2(&node, NULL, NULL, 0, &params);
	cuGraphKernelNodeSetParams_v2(node, &by_kernel);
	cuGraphExecKernelNodeSetParams_v2(NULL, node, &params);
	cuGraphAddNode(&node, NULL, NULL, 0, &any);
	cuGraphAddNode(&node, NULL, NULL, 0, &other);
	cuLaunchCooperativeKernelMultiDevice(several, 2, 0);
	/* What cannot be read is not. */
	munmap(page + 4096, 4096);
	cuGraphAddKernelNode_v2(&node, NULL, NULL, 0, (void *)(page + 4096 - 8));
	cuGraphAddKernelNode_v2(&node, NULL, NULL, 0, NULL);
	cuGraphAddKernelNode_v2(&node, NULL, NULL, 0, (void *)8);
}

int main(int argc, char **argv)
{
	CUfunction function, again, functions[4] = { NULL };
	CUkernel kernel, kernels[4] = { NULL };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
				  .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	static char name[70000];
	CUcontext context;
	CUmodule module;
	CUlibrary library;
	unsigned int count = 0;
	int value;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0))
		return 1;
	/* Before anything was handed out. */
	launch(NULL, 1);
	if (cuModuleLoadData(&module, image) || cuModuleGetFunction(&function, module, "one"))
		return 1;
	puts("# function"), fflush(stdout);
	launch(function, 1);
	launch(function, 1 << 20);
	cuLaunchKernelEx(&config, function, NULL, NULL);
	cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL);
	cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
	puts("# library"), fflush(stdout);
	if (cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) ||
	    cuLibraryGetKernel(&kernel, library, "two") || cuKernelGetFunction(&again, kernel))
		return 1;
	launch((CUfunction)kernel, 1);
	launch(again, 1);
	cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0);
	puts("# enumerated"), fflush(stdout);
	cuModuleEnumerateFunctions(functions, 4, module);
	cuLibraryGetKernelCount(&count, library);
	cuLibraryEnumerateKernels(kernels, count, library);
	launch(functions[1], 1);
	launch((CUfunction)kernels[0], 1);
	puts("# structures"), fflush(stdout);
	by_structures(function, kernel);
	puts("# again"), fflush(stdout);
	for (int i = 0; i < 3; i++) {
		sprintf(name, "reused_%d", i);
		module = load(name, &again);
		launch(again, 1);
		cuModuleUnload(module);
	}
	/* A handle that was destroyed, in a call that fails. */
	launch(again, 1 << 20);
	puts("# odd"), fflush(stdout);
	if (argc > 1) {
		memset(name, 'n', 66000);
		name[atoi(argv[1])] = '\0';
		module = load(name, &again);
		launch(again, 1);
	}
	return 0;
}
