/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that may not be there. */
#ifndef HOOKS_PEEK_H
#define HOOKS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { PEEK_PAGE = 4096 };	/* the smallest unit of what is mapped */

/* Context: call. Whether the page of an address can be read. */
bool peek_page(uintptr_t address);

/* Context: call. Copies size bytes from an address; false if they cannot all be read. */
bool peek(uint64_t address, void *to, size_t size);

/*
 * Context: call. The same of a few pieces, each as long in theirs, which may be anywhere, as
 * in ours.
 */
bool peek_all(const struct iovec *theirs, const struct iovec *ours, uint32_t count);

#endif
