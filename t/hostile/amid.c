/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amid MODE: launches a kernel in the handler of a signal that interrupts its own malloc(). first: that is
 * the first launch; later: one was made before. Status 9: malloc() was called amid itself.
 */
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/api.h"

enum { ROOM = 64 << 20 };

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";

static alignas(64) char room[ROOM];
static size_t used;
static _Atomic long holder;	/* the thread that is in malloc() */
static volatile sig_atomic_t armed;
static CUfunction function;
static volatile int result = -1;

static void *take(size_t size)
{
	long self = syscall(SYS_gettid), none = 0;
	char *block;

	if (holder == self)
		_exit(9);
	while (!atomic_compare_exchange_weak(&holder, &none, self))
		none = 0;
	if (armed) {
		armed = 0;
		raise(SIGUSR1);
	}
	block = room + used + 64;
	used += (size + 127) / 64 * 64;
	if (used + 64 > sizeof(room))
		_exit(8);
	((size_t *)block)[-1] = size;
	holder = 0;
	return block;
}

void *malloc(size_t size)
{
	return take(size);
}

void *calloc(size_t count, size_t size)
{
	return memset(take(count * size), 0, count * size);
}

void *realloc(void *old, size_t size)
{
	void *block = take(size);
	size_t before = old ? ((size_t *)old)[-1] : 0;

	return memcpy(block, old ? old : "", before < size ? before : size);
}

void free(void *block)
{
	(void)block;
}

static void launch(int number)
{
	(void)number;
	result = (int)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

int main(int argc, char **argv)
{
	CUcontext context;
	CUmodule module;
	void *volatile block;

	if (argc != 2 || cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "one"))
		return 3;
	if (!strcmp(argv[1], "later"))
		launch(0);
	signal(SIGUSR1, launch);
	armed = 1;
	block = malloc(1);
	free(block);
	printf("%d\n", result);
	return cuCtxSynchronize() != 0;
}
