/* SPDX-License-Identifier: Apache-2.0 */
/* What NVML knows of the processes on a device, and how much of its memory this one has. */
/*
 * In a PID namespace, of a container, NVML may tell the PIDs that processes have
 * outside of it. There this process is the one that was not on the device before.
 */
#include "hooks/modules/limit/limit_nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/bypassed.h"

enum { DEVICES = 64, PROCESSES = 128 };

enum { UNINITIALIZED = 1, INVALID_ARGUMENT = 2 };	/* answers */

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
	void *handle;	/* NULL: it cannot be asked */
	uint8_t uuid[16];
	unsigned int count;	/* of those before */
	unsigned int before[PROCESSES];
} devices[DEVICES];

static const char no_device[] = "NVML does not know the device";
static const char no_list[] = "NVML does not tell its processes";

static struct process list[PROCESSES];
static unsigned int outside;	/* this process's PID there; 0: not known yet */

/* It waits, reads and calls the driver: no thread is to be cancelled amid, nor to find another errno. */
struct guard {
	int cancel, error;
	uint64_t before;
};

static void enter(struct guard *guard)
{
	guard->error = errno;
	guard->before = bypassed_begin();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
}

static void leave(const struct guard *guard)
{
	int unused;

	pthread_setcancelstate(guard->cancel, &unused);
	bypassed_end(guard->before);
	errno = guard->error;
}

static bool look_up(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	if (library) {
		*(void **)&begin = dlsym(library, "nvmlInit_v2");
		*(void **)&handle_of = dlsym(library, "nvmlDeviceGetHandleByUUID");
		*(void **)&processes = dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3");
	}
	if (begin && handle_of && processes)
		return true;
	begin = NULL;
	dlerror();	/* the program's next one is its own */
	return false;
}

bool nvml_load(void)
{
	struct guard guard;
	bool loaded;

	enter(&guard);
	loaded = begin || look_up();
	leave(&guard);
	return loaded;
}

bool nvml_open(void)
{
	struct guard guard;
	int error;

	if (!nvml_load())
		return false;
	enter(&guard);
	error = begin();
	leave(&guard);
	return !error;
}

static void *find(const uint8_t uuid[16])
{
	static const char *const kinds[] = { "GPU", "MIG" };
	void *handle = NULL;
	char text[64];

	for (int i = 0; i < 2 && !handle; i++) {
		int at = snprintf(text, sizeof(text), "%s", kinds[i]);

		for (int byte = 0; byte < 16; byte++)
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%02x",
				       byte == 0 || byte == 4 || byte == 6 || byte == 8 || byte == 10 ?
				       "-" : "", uuid[byte]);
		if (handle_of(text, &handle))
			handle = NULL;
	}
	return handle;
}

/*
 * False: it does not tell, or there are too many. A program may end NVML once more than it began it, perhaps to
 * begin it anew: NVML then knows the handle no more.
 */
static bool read_list(uint32_t device, unsigned int *count)
{
	struct guard guard;
	bool again = false;
	int error;

	enter(&guard);
	for (;;) {
		*count = PROCESSES;
		error = processes(devices[device].handle, count, list);
		if (again || (error != UNINITIALIZED && error != INVALID_ARGUMENT))
			break;
		again = true;
		if (error == INVALID_ARGUMENT || !begin())
			devices[device].handle = find(devices[device].uuid);
	}
	leave(&guard);
	return !error && *count <= PROCESSES;
}

const char *nvml_prepare(uint32_t device, const uint8_t uuid[16])
{
	struct guard guard;
	unsigned int count;

	if (device >= DEVICES)
		return no_device;
	memcpy(devices[device].uuid, uuid, sizeof(devices[device].uuid));
	enter(&guard);
	devices[device].handle = find(uuid);
	leave(&guard);
	if (!devices[device].handle)
		return no_device;
	if (!read_list(device, &count)) {
		devices[device].handle = NULL;
		return no_list;
	}
	devices[device].count = count;
	for (unsigned int i = 0; i < count; i++)
		devices[device].before[i] = list[i].pid;
	return NULL;
}

static bool was_before(uint32_t device, unsigned int pid)
{
	for (unsigned int i = 0; i < devices[device].count; i++)
		if (devices[device].before[i] == pid)
			return true;
	return false;
}

/*
 * Of those on the list, this process; NULL: none of them, or why it is not known which. One whose PID is
 * another is it only where this process must be: it may be one of the container that began on that device.
 */
static const struct process *find_self(uint32_t device, unsigned int count, bool expected, const char **why)
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
	if (!expected || outside)
		return NULL;
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
		return no_device;
	if (!read_list(device, &count))
		return no_list;
	self = find_self(device, count, expected, &why);
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
