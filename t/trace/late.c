/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a handle before it is handed out, and one whose name the driver tells late. */
#include "t/trace/driver.h"

int main(int argc, char **argv)
{
	void *function = (void *)0x40;

	(void)argv;
	for (int i = 0; i < 3; i++)
		cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
	trace_nameless = argc > 1;
	cuModuleGetFunction(&function, 0, "first");
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
	trace_nameless = 0;
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
	return 0;
}
