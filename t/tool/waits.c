/* SPDX-License-Identifier: Apache-2.0 */
/* Is in a call of the driver until one of two FIFOs is written to, when the other was read. */
#include <fcntl.h>
#include <unistd.h>

#include "sim/api.h"

static const char *told, *wait_for;

static void callback(void *unused)
{
	char c;
	int fd = open(told, O_WRONLY);

	(void)unused;
	close(fd);
	fd = open(wait_for, O_RDONLY);
	(void)!read(fd, &c, 1);
}

int main(int argc, char **argv)
{
	CUcontext context;

	told = argv[argc - 2];
	wait_for = argv[argc - 1];
	return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuLaunchHostFunc(NULL, callback, NULL);
}
