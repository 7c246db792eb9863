/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that makes the first context goes no further where limit(share=) starts the thread that looks after
 * devices, which then never is. Another one launches, and says so.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/api.h"

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";
static _Thread_local bool armed;
static atomic_bool caught;
static CUfunction function;

/* libc's as everybody has it, cuaudit too. */
__attribute__((visibility("default"), weak))
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *given)
{
	create_fn *real = (create_fn *)(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");

	caught |= armed;
	while (armed)
		pause();
	return real(thread, attributes, run, given);
}

static CUresult launch(void)
{
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void *first(void *unused)
{
	CUcontext its;

	armed = true;
	cuCtxCreate_v2(&its, 0, 0);
	return unused;
}

int main(void)
{
	CUcontext context;
	pthread_t thread;
	CUmodule module;

	if (cuInit(0) || pthread_create(&thread, NULL, first, NULL))
		return 3;
	while (!caught)
		usleep(1000);
	if (cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "one"))
		return 3;
	printf("%d\n", (int)launch());
	return 0;
}
