/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what its arguments name, one after the other:
 *   init, count     the driver, its devices; an error is taken as it is
 *   asks            requests to cuGetProcAddress, one for each kind of answer
 *   silent          one without a status that is not found
 *   context         a context
 *   managed, ipc, callback, old   what checkpoints or MPS may refuse
 *   fork            a child that calls the driver
 *   looks           one that calls what works in any process
 *   exec            itself, as a child: "count"
 *   fails           ends with status 3
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"

static void nothing(void *unused)
{
	(void)unused;
}

static void asks(void)
{
	CUdriverProcAddressQueryResult status;
	void *found;

	cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status);
	cuGetProcAddress_v2("cuCtxCreate", &found, 11000, 0, &status);
	cuGetProcAddress_v2("cuInit", &found, 12000, 0, &status);
	cuGetProcAddress_v2("cuLaunchKernel", &found, 12000, 2, &status);
	cuGetProcAddress_v2("cuNoSuchThing", &found, 12000, 0, &status);
	cuGetProcAddress_v2("cuStreamGetId", &found, 11000, 0, &status);
	cuGetProcAddress_v2("cuStreamGetDevice", &found, 90000, 0, &status);
	cuGetProcAddress("cuNoSuchThing", &found, 12000, 0);
}

static void child(char *program)
{
	int status, count;
	pid_t pid = fork();

	if (pid)
		waitpid(pid, &status, 0);
	else if (program)
		_exit(execl(program, program, "init", "count", (char *)NULL));
	else
		exit(cuDeviceGetCount(&count) == CUDA_SUCCESS);
}

static void looks(void)
{
	int status, version;
	pid_t pid = fork();

	if (pid)
		waitpid(pid, &status, 0);
	else
		exit(cuDriverGetVersion(&version) || (asks(), 0));
}

static void does(const char *what, char *program)
{
	CUipcMemHandle handle;
	CUcontext context;
	CUdeviceptr memory;
	void *found;
	int count;

	if (!strcmp(what, "init"))
		cuInit(0);
	else if (!strcmp(what, "count"))
		cuDeviceGetCount(&count);
	else if (!strcmp(what, "asks"))
		asks();
	else if (!strcmp(what, "looks"))
		looks();
	else if (!strcmp(what, "silent"))
		cuGetProcAddress_v2("cuNoSuchThing", &found, 12000, 0, NULL);
	else if (!strcmp(what, "managed"))
		cuMemAllocManaged(&memory, 4096, 1);
	else if (!strcmp(what, "ipc"))
		cuIpcGetMemHandle(&handle, 4096);
	else if (!strcmp(what, "callback"))
		cuLaunchHostFunc(NULL, nothing, NULL);
	else if (!strcmp(what, "context"))
		cuCtxCreate_v2(&context, 0, 0);
	else if (!strcmp(what, "old"))
		cuCtxCreate(&context, 0, 0);
	else if (!strcmp(what, "fork") || !strcmp(what, "exec"))
		child(*what == 'e' ? program : NULL);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "fails"))
			return 3;
		does(argv[i], argv[0]);
	}
	return 0;
}
