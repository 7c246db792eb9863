/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel; in a thread for which the constructor waits, if LATE_CONSTRUCTOR is set. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/api.h"

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";

static atomic_bool launched;
static CUfunction function;

void late_launch(void);
void late_begin(void);
void late_begun(void);

void late_begin(void)
{
	CUcontext context;
	CUmodule module;

	if (cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "one"))
		exit(4);
}

void late_begun(void)
{
	if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) || cuCtxSynchronize())
		exit(4);
}

void late_launch(void)
{
	if (atomic_exchange(&launched, true))
		return;
	late_begin();
	late_begun();
	puts("launched");
}

static void *run(void *unused)
{
	late_launch();
	return unused;
}

static __attribute__((constructor)) void construct(void)
{
	pthread_t thread;

	if (getenv("LATE_CONSTRUCTOR") && !pthread_create(&thread, NULL, run, NULL))
		pthread_join(thread, NULL);
}
