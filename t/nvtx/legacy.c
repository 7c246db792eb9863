/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of NVTX 2: functions of a library, whose path is given. */
#include <dlfcn.h>
#include <stdio.h>

int cuInit(unsigned int flags);

int main(int argc, char **argv)
{
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*push)(const char *) = handle ? (int (*)(const char *))dlsym(handle, "nvtxRangePushA") : NULL;
	int (*pop)(void) = handle ? (int (*)(void))dlsym(handle, "nvtxRangePop") : NULL;

	if (!push || !pop)
		return 2;
	printf("push %d, ", push("legacy"));
	cuInit(0);
	printf("pop %d\n", pop());
	return 0;
}
