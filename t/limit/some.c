/* SPDX-License-Identifier: Apache-2.0 */
/* some ACTION...: what each answers, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"

int main(int argc, char **argv)
{
	CUdeviceptr address = 0;
	CUcontext context;
	size_t free, total;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		int device = argv[i][0] - '0';

		if (!strcmp(argv[i], "init"))
			printf("%d\n", cuInit(0));
		else if (device >= 0 && device <= 1)
			printf("%d\n", cuCtxCreate_v2(&context, 0, device));
		else if (!strcmp(argv[i], "told") && !cuMemGetInfo_v2(&free, &total))
			printf("%zu %zu\n", free, total);
		else if (!strcmp(argv[i], "free"))
			printf("%d\n", cuMemFree_v2(address));
		else if (!strncmp(argv[i], "take=", 5))
			printf("%d\n", cuMemAlloc_v2(&address, strtoull(argv[i] + 5, NULL, 10)));
		else if (!strcmp(argv[i], "version"))
			printf("%d\n", cuDriverGetVersion(&status));
		else if (!strcmp(argv[i], "fork") && fork()) {
			wait(&status);
			return WEXITSTATUS(status);
		}
	}
	return 0;
}
