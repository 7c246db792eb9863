/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that return though others of their thread did not, or later than others began: prints how many were made.
 * returns nested: out of a call that longjmp left; returns coroutine: a coroutine is left in a callback and gone on with.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TIMES = 100, STACK = 256 * 1024 };

static int (*version)(int *value);
static int (*launch)(void *stream, void (*function)(void *), void *data);
static ucontext_t coroutine, program;
static jmp_buf back;
static int made;

static void call(void (*function)(void *))
{
	made++;
	if (launch(NULL, function, NULL))
		abort();
}

static void leave(void *unused)
{
	(void)unused;
	longjmp(back, 1);
}

static void deeper(void *unused)
{
	(void)unused;
	call(leave);
}

static void nested(void *unused)
{
	(void)unused;
	if (!setjmp(back))
		call(deeper);
}

static void yield(void *unused)
{
	(void)unused;
	swapcontext(&coroutine, &program);
}

static void body(void)
{
	call(yield);
	setcontext(&program);
}

static void run_coroutine(char *stack)
{
	int value;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = NULL;
	makecontext(&coroutine, body, 0);
	swapcontext(&program, &coroutine);
	for (int i = 0; i < 3; i++)
		version(&value);
	swapcontext(&program, &coroutine);
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	int (*create)(void **, unsigned int, int);
	char *stack = malloc(STACK);

	if (argc < 2 || !stack || !init || init(0))
		return 77;
	version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	launch = (int (*)(void *, void (*)(void *), void *))dlsym(driver, "cuLaunchHostFunc");
	create = (int (*)(void **, unsigned int, int))dlsym(driver, "cuCtxCreate_v2");
	if (create(&context, 0, 0))
		return 77;
	if (!strcmp(argv[1], "nested"))
		call(nested);
	else
		for (int i = 0; i < TIMES; i++)
			run_coroutine(stack);
	printf("%d\n", made);
	return 0;
}
