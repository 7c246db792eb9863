/* SPDX-License-Identifier: Apache-2.0 */
/* Writes words into data that may be protected. */
#ifndef HOOKS_PAGE_WRITE_H
#define HOOKS_PAGE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Context: call. Each of count words, in two pages at most, that is from[i] becomes to[i], at once;
 * one that has become another meanwhile is left. The pages are protected as before,
 * or as the program protects them meanwhile; it is not seen between our last look and the write, or
 * what puts the old protection back. False, with nothing written, where that is code, not mapped, the
 * system refuses it, or the program protects it again and again.
 */
bool page_write(uint64_t *at, const uint64_t *from, const uint64_t *to, size_t count);

/* Context: call. safe_read of what page_write may be writing to. */
bool page_read(const uint64_t *at, void *to, size_t size);

#endif
