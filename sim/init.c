/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the simulated driver: cuInit, its environment, forks. */
#include "sim/sim.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/size.h"

enum { SHOWN = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A run under other conditions than were asked for is none. */
static CUresult refuse(const char *name, const char *value)
{
	static bool said;
	char shown[SHOWN];
	size_t length = 0;

	/* A terminal is not to do what a variable says. */
	for (; value[length] && length < SHOWN - 1; length++)
		shown[length] = value[length] >= ' ' && value[length] <= '~' ? value[length] : '?';
	shown[length] = '\0';
	if (!said)
		fprintf(stderr, "simulated driver: %s: cannot use \"%s\"\n", name, shown);
	said = true;
	return CUDA_ERROR_INVALID_VALUE;
}

/*
 * CUAUDIT_SIM_CLOCK: a file by which processes share the devices, whose work is done one after the other.
 * CUAUDIT_SIM_MEMORY: bytes of each device, as util/size.h has it.
 * CUAUDIT_SIM_COMPUTE_MODE: of all devices, 0, 2 or 3.
 * CUAUDIT_SIM_LAUNCHES: a file that gets a line for each kernel launched.
 * CUAUDIT_SIM_LAUNCH_TIME: microseconds that a kernel keeps its stream busy.
 */
static CUresult configure(void)
{
	const char *memory = secure_getenv("CUAUDIT_SIM_MEMORY");
	const char *launches = secure_getenv("CUAUDIT_SIM_LAUNCHES");
	const char *busy = secure_getenv("CUAUDIT_SIM_LAUNCH_TIME");
	const char *mode = secure_getenv("CUAUDIT_SIM_COMPUTE_MODE");
	const char *clock = secure_getenv("CUAUDIT_SIM_CLOCK");
	uint64_t value;

	if (memory && (!size_parse(memory, &value) || !value))
		return refuse("CUAUDIT_SIM_MEMORY", memory);
	if (memory)
		sim_config.memory = value;
	if (busy && (!size_parse(busy, &value) || value > UINT64_MAX / 1000))
		return refuse("CUAUDIT_SIM_LAUNCH_TIME", busy);
	if (busy)
		sim_config.launch_ns = value * 1000;
	if (mode && (!strchr("023", *mode) || !*mode || mode[1]))
		return refuse("CUAUDIT_SIM_COMPUTE_MODE", mode);
	if (mode)
		sim_config.compute_mode = *mode - '0';
	if (clock && *clock && !sim_clock_open(clock))
		return refuse("CUAUDIT_SIM_CLOCK", clock);
	if (!launches || !*launches)
		return CUDA_SUCCESS;
	/* A FIFO that nobody reads is refused, not waited for. */
	sim_config.launches = open(launches, O_WRONLY | O_APPEND | O_CREAT |
				   O_CLOEXEC | O_NONBLOCK, 0666);
	if (sim_config.launches < 0 || fcntl(sim_config.launches, F_SETFL, O_APPEND))
		return refuse("CUAUDIT_SIM_LAUNCHES", launches);
	return CUDA_SUCCESS;
}

/* What the parent set up does not work in a child, as on a real device. */
static void forked(void)
{
	if (atomic_load_explicit(&sim_state, memory_order_relaxed) != SIM_NEW)
		atomic_store_explicit(&sim_state, SIM_FORKED,
				      memory_order_relaxed);
}

static CUresult start(void)
{
	CUresult rc = configure();

	if (!rc)
		rc = object_setup();
	if (!rc)
		rc = primary_setup();
	if (!rc && pthread_atfork(NULL, NULL, forked))
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	if (!rc)
		atomic_store_explicit(&sim_state, SIM_READY,
				      memory_order_release);
	return rc;
}

CUresult cuInit(unsigned int Flags)
{
	CUresult rc = CUDA_SUCCESS;

	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_ready())
		return CUDA_SUCCESS;
	if (atomic_load(&sim_state) == SIM_FORKED)
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	if (!sim_ready())
		rc = start();
	pthread_mutex_unlock(&lock);
	return rc;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return CUDA_ERROR_INVALID_VALUE;
	*driverVersion = SIM_VERSION;
	return CUDA_SUCCESS;
}
