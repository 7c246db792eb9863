/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user PIPE...: takes memory as the commands on its input say, one a line:
 * "take BYTES", "fork BYTES", "orphan", "close", "free"; "often BYTES COUNT", it takes and frees them so often, and
 * tells how often it was refused; answers each on its output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"

static int taken(size_t bytes, CUdeviceptr *address)
{
	CUcontext context;

	if (cuCtxGetCurrent(&context) || !context)
		cuCtxCreate_v2(&context, 0, 0);
	return cuMemAlloc_v2(address, bytes);
}

/* How often it was refused. */
static int take_often(size_t bytes, int count)
{
	CUdeviceptr address;
	int refused = 0;

	for (int i = 0; i < count; i++)
		if (taken(bytes, &address))
			refused++;
		else
			cuMemFree_v2(address);
	return refused;
}

int main(void)
{
	CUdeviceptr address = 0;
	char line[80];
	size_t bytes, free, total;
	int result = 0, status, count;

	cuDriverGetVersion(&status);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "take %zu", &bytes) == 1) {
			result = cuInit(0);
			result = result ? result : taken(bytes, &address);
		} else if (sscanf(line, "often %zu %d", &bytes, &count) == 2) {
			result = cuInit(0) ? -1 : take_often(bytes, count);
		} else if (!strcmp(line, "free\n")) {
			result = cuMemFree_v2(address);
		} else if (!strcmp(line, "left\n")) {
			result = cuMemGetInfo_v2(&free, &total);
			printf("%zu of %zu\n", free, total);
			fflush(stdout);
			continue;
		} else if (!strcmp(line, "close\n")) {
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
		} else if (!strcmp(line, "orphan\n")) {
			char byte = 0;
			int ends[2];

			/* It lives until the input ends, whatever becomes of its parent. */
			result = pipe(ends);
			if (!fork()) {
				result = write(ends[1], &byte, 1) != 1;
				while (read(STDIN_FILENO, &byte, 1) > 0)
					;
				_exit(result);
			}
			result |= read(ends[0], &byte, 1) != 1;
		} else if (sscanf(line, "fork %zu", &bytes) == 1) {
			pid_t child = fork();

			if (!child)
				exit(cuInit(0) || taken(bytes, &address) ? 2 : 0);
			waitpid(child, &status, 0);
			result = WEXITSTATUS(status);
		}
		printf("%d\n", result);
		fflush(stdout);
	}
	return 0;
}
