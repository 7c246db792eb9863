/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For LD_PRELOAD: the FAULT_MALLOC-th allocation, the FAULT_READ-th pread or the
 * FAULT_WRITE-th write fails; 0 for none. With FAULT_SIGNAL, that signal comes before it
 * instead. How many there were is written to descriptor 9 at exit.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);

enum { MALLOC, READ, WRITE, KINDS, REPORT = 9 };

static const struct {
	const char *name;
	int error;
} kinds[KINDS] = {
	[MALLOC] = { "FAULT_MALLOC", ENOMEM },
	[READ] = { "FAULT_READ", EIO },
	[WRITE] = { "FAULT_WRITE", ENOSPC },
};

static long chosen[KINDS];		/* -1: not asked for */
static int sent;			/* a signal; 0: none */
static _Atomic long seen[KINDS];
static ssize_t (*real_pread)(int fd, void *to, size_t size, off_t offset);
static ssize_t (*real_write)(int fd, const void *from, size_t size);
static ssize_t (*real_pwrite)(int fd, const void *from, size_t size, off_t offset);

/* What fails in a child is the child's: the tool goes on without it. */
static void disarm(void)
{
	for (int i = 0; i < KINDS; i++)
		chosen[i] = -1;
}

__attribute__((constructor)) static void begin(void)
{
	*(void **)&real_pread = dlsym(RTLD_NEXT, "pread");
	*(void **)&real_write = dlsym(RTLD_NEXT, "write");
	*(void **)&real_pwrite = dlsym(RTLD_NEXT, "pwrite");
	pthread_atfork(NULL, NULL, disarm);
	sent = getenv("FAULT_SIGNAL") ? atoi(getenv("FAULT_SIGNAL")) : 0;
	/* A shell ignores some in what it starts in the background. */
	if (sent)
		signal(sent, SIG_DFL);
	for (int i = 0; i < KINDS; i++) {
		const char *text = getenv(kinds[i].name);

		seen[i] = 0;
		chosen[i] = text ? atol(text) : -1;
	}
}

static int fails(int kind)
{
	if (++seen[kind] != chosen[kind])
		return 0;
	if (sent)
		return raise(sent);
	errno = kinds[kind].error;
	return 1;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];

	for (int i = 0; i < KINDS; i++)
		if (chosen[i] >= 0)
			(void)!real_write(REPORT, text, (size_t)sprintf(text, "%ld\n", seen[i]));
}

void *malloc(size_t size)
{
	return fails(MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	return fails(MALLOC) ? NULL : __libc_realloc(at, size);
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
	return fails(READ) ? -1 : real_pread(fd, to, size, offset);
}

ssize_t pread64(int fd, void *to, size_t size, off_t offset)
{
	return pread(fd, to, size, offset);
}

/* What is said on stderr has to arrive. */
ssize_t write(int fd, const void *from, size_t size)
{
	return fd != STDERR_FILENO && fails(WRITE) ? -1 : real_write(fd, from, size);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
	return fails(WRITE) ? -1 : real_pwrite(fd, from, size, offset);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off_t offset)
{
	return pwrite(fd, from, size, offset);
}
