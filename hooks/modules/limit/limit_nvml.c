/* SPDX-License-Identifier: Apache-2.0 */
/* What NVML knows of the processes on a device, and how much of its memory this one has. */
/*
 * In a PID namespace, of a container, NVML tells the PIDs that processes have
 * outside of it. There this process is the one that was not on the device before.
 */
#include "hooks/modules/limit/limit_nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { DEVICES = 64, PROCESSES = 128 };

#define UNKNOWN UINT64_MAX	/* of NVML, where it does not tell it */

struct process {
	unsigned int pid;
	unsigned long long used;
	unsigned int instance, compute_instance;
};

static int (*begin)(void);
static int (*handle_of)(const char *uuid, void **handle);
static int (*processes)(void *handle, unsigned int *count, struct process *list);

static struct {
	void *handle;
	unsigned int count;	/* of those before */
	unsigned int before[PROCESSES];
} devices[DEVICES];

static struct process list[PROCESSES];
static unsigned int outside;	/* this process's PID there; 0: not known yet */

/* It waits and reads: no thread is to be cancelled amid, nor to find another errno. */
struct guard {
	int cancel, error;
};

static void enter(struct guard *guard)
{
	guard->error = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
}

static void leave(const struct guard *guard)
{
	int unused;

	pthread_setcancelstate(guard->cancel, &unused);
	errno = guard->error;
}

bool nvml_open(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&begin = dlsym(library, "nvmlInit_v2");
	*(void **)&handle_of = dlsym(library, "nvmlDeviceGetHandleByUUID");
	*(void **)&processes = dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3");
	return begin && handle_of && processes && !begin();
}

/* False: it does not tell, or there are too many. */
static bool read_list(void *handle, unsigned int *count)
{
	struct guard guard;
	int error;

	*count = PROCESSES;
	enter(&guard);
	error = processes(handle, count, list);
	leave(&guard);
	return !error && *count <= PROCESSES;
}

static void *find(const uint8_t uuid[16])
{
	static const char *const kinds[] = { "GPU", "MIG" };
	void *handle = NULL;
	struct guard guard;
	char text[64];

	enter(&guard);
	for (int i = 0; i < 2 && !handle; i++) {
		int at = snprintf(text, sizeof(text), "%s", kinds[i]);

		for (int byte = 0; byte < 16; byte++)
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%02x",
				       byte == 0 || byte == 4 || byte == 6 || byte == 8 || byte == 10 ?
				       "-" : "", uuid[byte]);
		if (handle_of(text, &handle))
			handle = NULL;
	}
	leave(&guard);
	return handle;
}

bool nvml_prepare(uint32_t device, const uint8_t uuid[16])
{
	void *handle = device < DEVICES ? find(uuid) : NULL;
	unsigned int count;

	if (!handle || !read_list(handle, &count))
		return false;
	devices[device].count = count;
	for (unsigned int i = 0; i < count; i++)
		devices[device].before[i] = list[i].pid;
	devices[device].handle = handle;
	return true;
}

static bool was_before(uint32_t device, unsigned int pid)
{
	for (unsigned int i = 0; i < devices[device].count; i++)
		if (devices[device].before[i] == pid)
			return true;
	return false;
}

/* Of those on the list, this process; NULL: none of them, or why it is not known which. */
static const struct process *find_self(uint32_t device, unsigned int count, const char **why)
{
	const struct process *new = NULL;
	unsigned int pid = (unsigned int)getpid(), news = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (list[i].pid == outside)
			return &list[i];
		if (was_before(device, list[i].pid))
			continue;
		if (list[i].pid == pid)
			return &list[i];
		new = &list[i];
		news++;
	}
	if (news > 1)
		*why = "NVML tells PIDs of another namespace, and two processes began at once";
	if (news != 1)
		return NULL;
	outside = new->pid;
	return new;
}

const char *nvml_used(uint32_t device, bool expected, uint64_t *bytes)
{
	const char *why = expected ? "NVML does not know of this process" : NULL;
	const struct process *self;
	unsigned int count;

	*bytes = 0;
	if (device >= DEVICES || !devices[device].handle)
		return "NVML does not know the device";
	if (!read_list(devices[device].handle, &count))
		return "NVML does not tell its processes";
	self = find_self(device, count, &why);
	if (self && self->used == UNKNOWN)
		return "NVML does not tell how much memory a process has here";
	if (self)
		*bytes = self->used;
	return self ? NULL : why;
}

void nvml_forked(void)
{
	outside = 0;
}
