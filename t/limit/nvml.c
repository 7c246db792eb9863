/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML that answers what the program says, to limit(count=all). */
#include "t/limit/nvml.h"

#include <errno.h>
#include <string.h>

enum { NO_ROOM = 7, NOT_FOUND = 6 };

static struct nvml_processes nobody;

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, struct nvml_process *list);

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	errno = EIO;
	*device = strcmp(uuid, "GPU-63756175-6469-742d-7369-6d2d64657630") ? &nobody : &nvml_processes;
	return *device == &nobody && strcmp(uuid, "MIG-63756175-6469-742d-7369-6d2d64657631") ? NOT_FOUND : 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, struct nvml_process *list)
{
	struct nvml_processes *its = device;
	unsigned int room = *count;
	int error = its->asked ? its->error : 0;

	errno = EIO;
	*count = its->asked ? its->count : its->before;
	its->asked = true;
	its->asks++;
	if (its->inside) {
		void (*inside)(void) = its->inside;

		its->inside = NULL;
		inside();
	}
	if (error || room < *count)
		return error ? error : NO_ROOM;
	memcpy(list, its->list, *count * sizeof(*list));
	return 0;
}
