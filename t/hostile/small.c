/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose first driver calls, and all others, are on a stack of so many bytes
 * between pages that cannot be touched. Arguments: thread, coroutine or signal; bytes.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { GUARD = 4096, ROUNDS = 50 };

typedef int function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
		     uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void *driver;
static int failed, done;
static ucontext_t main_context, context;

static int call(const char *name, uintptr_t first, uintptr_t second, uintptr_t third)
{
	function *f = (function *)dlsym(driver, name);

	return f(first, second, third, 1, 1, 1, 1, 0, 0, 0, 0);
}

static void work(void)
{
	uintptr_t memory, held, module;
	int version;
	size_t left, all;

	failed += call("cuInit", 0, 0, 0) != 0;
	failed += call("cuDevicePrimaryCtxRetain", (uintptr_t)&held, 0, 0) != 0;
	failed += call("cuCtxSetCurrent", held, 0, 0) != 0;
	for (int i = 0; i < ROUNDS; i++) {
		failed += call("cuMemAlloc_v2", (uintptr_t)&memory, 4096, 0) != 0;
		failed += call("cuDriverGetVersion", (uintptr_t)&version, 0, 0) != 0;
		failed += call("cuMemGetInfo_v2", (uintptr_t)&left, (uintptr_t)&all, 0) != 0;
		failed += call("cuModuleLoadData", (uintptr_t)&module, (uintptr_t)"?", 0) == 0;
		failed += call("cuLaunchKernel", 1, 1, 1) == 0;
		failed += call("cuMemFree_v2", memory, 0, 0) != 0;
		failed += call("cuCtxSynchronize", 0, 0, 0) != 0;
	}
	done++;
}

static void *run_thread(void *unused)
{
	work();
	return unused;
}

static void handle(int signal)
{
	(void)signal;
	work();
}

static void on_thread(void *stack, size_t size)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (!pthread_attr_setstack(&attributes, stack, size) &&
	    !pthread_create(&thread, &attributes, run_thread, NULL))
		pthread_join(thread, NULL);
}

static void on_coroutine(void *stack, size_t size)
{
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = size;
	context.uc_link = &main_context;
	makecontext(&context, work, 0);
	swapcontext(&main_context, &context);
}

static void on_signal(void *stack, size_t size)
{
	stack_t signal_stack = { .ss_sp = stack, .ss_size = size };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&signal_stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		return;
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 0) : 16384;
	char *stack = mmap(NULL, size + 2 * GUARD, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (argc < 3 || !driver || stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) ||
	    mprotect(stack + GUARD + size, GUARD, PROT_NONE)) {
		printf("no driver or no stack\n");
		return 2;
	}
	if (!strcmp(argv[1], "thread"))
		on_thread(stack + GUARD, size);
	else if (!strcmp(argv[1], "coroutine"))
		on_coroutine(stack + GUARD, size);
	else
		on_signal(stack + GUARD, size);
	printf("%d rounds, %d calls went wrong\n", done, failed);
	return done != 1 || failed;
}
