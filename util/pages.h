/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmap(2), mremap(2) and munmap(2), by the system calls themselves: the program may have functions of these names, which
 * call the driver, and so come to hooks that hold a lock here. Context: call.
 */
#ifndef UTIL_PAGES_H
#define UTIL_PAGES_H

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MAP_FAILED and errno where it cannot be done. */
static inline void *pages_map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* The same; it may move. */
static inline void *pages_grow(void *at, size_t from, size_t to)
{
	return (void *)syscall(SYS_mremap, at, from, to, MREMAP_MAYMOVE);
}

static inline void pages_unmap(void *at, size_t size)
{
	syscall(SYS_munmap, at, size);
}

#endif
