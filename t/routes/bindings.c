/* SPDX-License-Identifier: Apache-2.0 */
/* Binds functions by each route; how many more that no table knows is the argument. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "t/fake/driver.h"

int main(int argc, char **argv)
{
	void *answer;
	int status;

	printf("still in the buffer");
	cuInit(0);
	((int (*)(void **))dlsym(RTLD_DEFAULT, "cuCtxGetCurrent"))(&answer);
	cuGetProcAddress_v2("cuInit", &answer, 13000, 0, &status);	/* the first slot there is */
	cuGetProcAddress_v2("cuDriverGetVersion", &answer, 13000, 0, &status);
	cuGetProcAddress_v2("cuStreamQuery", &answer, 13000, 0, &status);
	((int (*)(void *))answer)(NULL);
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		cuGetProcAddress_v2("cuHidden", &answer, 13000, (unsigned int)i, &status);
	return 3;
}
