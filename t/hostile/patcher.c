/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts a jump to a function of its own over the first instructions of one of
 * the driver's, as libraries that watch allocations do. The original is
 * called by a copy of the instructions overwritten, or by putting them back.
 */
#include "t/hostile/patcher.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*alloc_fn)(unsigned long long *pointer, size_t size);

#ifdef __aarch64__
enum { NEAR = 4, FAR = 16, MOST = 64 };
#else
enum { NEAR = 5, FAR = 14, MOST = 64 };
#endif

static unsigned char *target, saved[FAR];
static alloc_fn copied;	/* NULL: the target itself, put back for the call */
static int calls;

static int writable(void *at, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);

	return mprotect((void *)from, (uintptr_t)at + size - from,
			PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* FAR bytes at at; an indirect jump. */
static void jump(unsigned char *at, const void *to)
{
#ifdef __aarch64__
	static const uint32_t jump_there[] = { 0x58000051, 0xd61f0220 };
#else
	static const unsigned char jump_there[] = { 0xff, 0x25, 0, 0, 0, 0 };
#endif

	memcpy(at, jump_there, sizeof(jump_there));
	memcpy(at + sizeof(jump_there), &to, sizeof(to));
	__builtin___clear_cache((char *)at, (char *)at + FAR);
}

/* NEAR bytes at at, relative; -1 if to is too far away. */
static int jump_near(unsigned char *at, const void *to)
{
	intptr_t away = (intptr_t)to - (intptr_t)at;
#ifdef __aarch64__
	uint32_t word = 0x14000000 | ((uint32_t)(away >> 2) & 0x3ffffff);

	if (away >> 27 != 0 && away >> 27 != -1)
		return -1;
	memcpy(at, &word, sizeof(word));
#else
	int32_t near = (int32_t)(away - NEAR);

	if (away - NEAR != near)
		return -1;
	at[0] = 0xe9;
	memcpy(at + 1, &near, sizeof(near));
#endif
	__builtin___clear_cache((char *)at, (char *)at + NEAR);
	return 0;
}

static int hook(unsigned long long *pointer, size_t size)
{
	int result;

	calls++;
	if (copied)
		return copied(pointer, size + 1);
	memcpy(target, saved, FAR);
	__builtin___clear_cache((char *)target, (char *)target + FAR);
	result = ((alloc_fn)target)(pointer, size + 1);
	jump(target, (const void *)hook);
	return result;
}

/* The length of an instruction that runs anywhere; 0: not one of those known here. */
#ifdef __aarch64__
static size_t length_of(const unsigned char *at)
{
	static const uint32_t landing[] = { 0xd503245f, 0xd503233f };	/* bti c, paciasp */

	return memcmp(at, &landing[0], NEAR) && memcmp(at, &landing[1], NEAR) ? 0 : NEAR;
}
#else
static size_t length_of(const unsigned char *at)
{
	static const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t prefix = (*at & 0xf0) == 0x40;

	if (!memcmp(at, landing, sizeof(landing)))
		return sizeof(landing);
	if ((at[prefix] & 0xf8) == 0x50)			/* push */
		return prefix + 1;
	if ((at[prefix] & 0xf8) == 0xb8 && *at != 0x48)		/* mov $n, %r32 */
		return prefix + 5;
	if (at[prefix] == 0x89 && at[prefix + 1] >= 0xc0)	/* mov %r, %r */
		return prefix + 2;
	if (at[prefix] == 0x83 && at[prefix + 1] >= 0xc0)	/* sub $n, %rsp */
		return prefix + 3;
	return 0;
}
#endif

static int copy_start(unsigned char *from)
{
	unsigned char *code = mmap(NULL, MOST, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t used = 0, length;

	if (code == MAP_FAILED)
		return -1;
	for (; used < NEAR; used += length) {
		length = length_of(from + used);
		if (!length)
			return -1;
	}
	memcpy(code, from, used);
	if (jump_near(code + used, from + used))
		return -1;
	__builtin___clear_cache((char *)code, (char *)code + used);
	copied = (alloc_fn)code;
	return 0;
}

int patcher_patch(void *function, int by_copy)
{
	target = function;
	memcpy(saved, target, FAR);
	if (writable(target, FAR))
		return -1;
	if (!by_copy) {
		jump(target, (const void *)hook);
		return 0;
	}
	return copy_start(target) || jump_near(target, (const void *)hook) ? -1 : 0;
}

void *patcher_look_up(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

int patcher_calls(void)
{
	return calls;
}
