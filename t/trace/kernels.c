/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels whose handle comes back for others. */
#include "t/trace/driver.h"

static void launch(const char *name)
{
	void *function;

	trace_kernel = name;
	cuModuleGetFunction(&function, 0, name);
	cuLaunchKernel(function, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0);
	cuLaunchKernel(function, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0);
}

int main(int argc, char **argv)
{
	(void)argv;
	launch("first");
	cuModuleUnload(0);
	launch("second");
	cuModuleUnload(0);
	launch("second");
	trace_answer = 1;
	cuLaunchKernel((void *)0x80, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0);
	trace_answer = 0;
	trace_hangs = argc > 1;
	cuCtxSynchronize();
	return 0;
}
