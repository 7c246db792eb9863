/* SPDX-License-Identifier: Apache-2.0 */
/* The process is killed in a call: the simulated driver calls back at once. */
#include <signal.h>
#include <unistd.h>

#include "sim/api.h"

static void end(void *unused)
{
	(void)unused;
	usleep(20000);
	kill(getpid(), SIGKILL);
}

int main(void)
{
	CUcontext context;
	int count;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuDeviceGetCount(&count) ||
	    cuLaunchHostFunc(NULL, end, NULL))
		return 1;
	return 0;
}
