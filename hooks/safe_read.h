/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that may not be there. */
#ifndef HOOKS_SAFE_READ_H
#define HOOKS_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PEEK_PAGE = 4096 };	/* the smallest unit of what is mapped */

/* Context: call. Whether the page of an address can be read. */
bool safe_read_page(uintptr_t address);

/*
 * Context: call. Copies size bytes from an address; false if they cannot all be read. Of memory
 * that nobody takes away meanwhile: where the kernel may not copy, pages are asked for first.
 */
bool safe_read(uint64_t address, void *to, size_t size);

/*
 * Context: call. The same of memory that other threads may unmap meanwhile: by the kernel's copying
 * alone, false where that is forbidden, since a page that was asked for may be gone when it is
 * read.
 */
bool safe_read_shared(uint64_t address, void *to, size_t size);

/*
 * Context: setup. Has the kernel clear whole pages in each child that does not share them, by whatever it was
 * made; false where it does not, before Linux 4.14 and in emulators.
 */
bool safe_read_wipe(void *pages, size_t size);

struct iovec;

/*
 * Context: call. The same of several parts, at most 1024, one behind the other, into `to`, by one
 * system call. Returns how many bytes: all, or those before the first part that cannot be read;
 * 0 where this is not the way to read.
 */
size_t safe_read_parts(const struct iovec *parts, uint32_t count, const struct iovec *to,
		       uint32_t tos);

/* What can be read without being asked for: an area, and the page that was read last. */
struct safe_read_known {
	uint64_t low, high;
	uint64_t page_end;
};

/*
 * Context: call. The same of memory that nobody takes away meanwhile, and of which other pieces
 * may be in the same page: a system call for each page that is not known.
 */
bool safe_read_near(struct safe_read_known *known, uint64_t address, void *to, size_t size);

#endif
