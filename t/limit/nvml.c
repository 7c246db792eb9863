/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML that answers what the program says, to the limit hook. */
#include "t/limit/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_FOUND = 6, NO_ROOM = 7 };

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, struct nvml_process *list);

int nvmlInit_v2(void)
{
	int (*ask)(const void **, const char *) = (int (*)(const void **, const char *))dlsym(RTLD_DEFAULT, "cuGetExportTable");
	const void *table;

	/* As the real one does. */
	if (ask)
		ask(&table, "\x9f\x8e\xa2\x69\x49\x24\x47\x8b\xb0\x30\xc5\xda\x33\x0e\xa4\xe9");
	nvml_begun++;
	nvml_processes.stale |= nvml_processes.ended;
	nvml_processes.ended = false;
	return nvml_beginning ? nvml_beginning() : 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	errno = EIO;
	*device = strcmp(uuid, "GPU-63756175-6469-742d-7369-6d2d64657630") ? &nvml_second : &nvml_processes;
	((struct nvml_processes *)*device)->stale = false;
	return *device == &nvml_second && strcmp(uuid, "MIG-63756175-6469-742d-7369-6d2d64657631") ? NOT_FOUND : 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, struct nvml_process *list)
{
	struct nvml_processes *its = device;
	unsigned int room = *count;
	bool first = !its->asked;
	int error = its->ended ? UNINITIALIZED : its->stale ? INVALID_ARGUMENT : its->asked ? its->error : 0;

	errno = EIO;
	*count = its->asked ? its->count : its->before;
	its->asked = true;
	its->asks++;
	if (its->inside && !first) {
		void (*inside)(void) = its->inside;

		its->inside = NULL;
		inside();
	}
	if (error || room < *count)
		return error ? error : NO_ROOM;
	memcpy(list, its->list, *count * sizeof(*list));
	return 0;
}
