/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: the FAULT_MALLOC-th allocation, or the FAULT_READ-th pread, fails. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);

static long most[2];		/* -1: none fails */
static _Atomic long seen[2];
static ssize_t (*real)(int fd, void *to, size_t size, off_t offset);

__attribute__((constructor)) static void begin(void)
{
	static const char *const names[] = { "FAULT_MALLOC", "FAULT_READ" };

	*(void **)&real = dlsym(RTLD_NEXT, "pread");
	for (int i = 0; i < 2; i++) {
		const char *text = getenv(names[i]);

		seen[i] = 0;
		most[i] = text ? atol(text) : 0;
	}
}

static int fails(int which, int error)
{
	if (!most[which] || ++seen[which] != most[which])
		return 0;
	errno = error;
	return 1;
}

/* Whether it failed is what the test asks: the descriptor has no other use. */
__attribute__((destructor)) static void end(void)
{
	if ((most[0] && seen[0] >= most[0]) || (most[1] && seen[1] >= most[1]))
		(void)!write(9, "x", 1);
}

void *malloc(size_t size)
{
	return fails(0, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(0, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	return fails(0, ENOMEM) ? NULL : __libc_realloc(at, size);
}

void *reallocarray(void *at, size_t count, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(count, size, &all))
		return NULL;
	return realloc(at, all);
}

ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
	return fails(1, EIO) ? -1 : real(fd, to, size, offset);
}
