/* SPDX-License-Identifier: Apache-2.0 */
/* long SIZE: whatever has a name has one of so many bytes; calls are made after each. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "t/trace/driver.h"

static void launch(char *name)
{
	void *function;

	trace_kernel = name;
	cuModuleGetFunction(&function, 0, name);
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
	cuModuleUnload(0);
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? (size_t)atol(argv[1]) : 0;
	char *name = malloc(size + 1);

	memset(name, 'k', size);
	name[size] = '\0';
	prctl(PR_SET_NAME, name);
	cuInit(0);
	/* Another name each time, so that each is written. */
	for (int i = 0; i < 12; i++) {
		if (size)
			name[0] = (char)('a' + i);
		launch(name);
	}
	return 0;
}
