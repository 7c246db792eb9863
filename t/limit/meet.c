/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that launches first, and with which limit(share=) makes the device known, goes no further: the thread
 * that limit starts then never is. Another one launches, and says so.
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
static CUcontext context;

/* libc's as everybody has it, cuaudit too. */
__attribute__((visibility("default")))
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
	if (!cuCtxSetCurrent(context)) {
		armed = true;
		launch();
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	CUmodule module;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "one") || pthread_create(&thread, NULL, first, NULL))
		return 3;
	while (!caught)
		usleep(1000);
	printf("%d\n", (int)launch());
	return 0;
}
