/* SPDX-License-Identifier: Apache-2.0 */
/* Writes two words into data that may be protected. */
#ifndef HOOKS_PAGE_WRITE_H
#define HOOKS_PAGE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Context: call. Writes two words, each at once, and protects their pages as before. False,
 * with nothing written, where that is code, not mapped, or the system refuses it.
 */
bool page_write(uint64_t *at, uint64_t first, uint64_t second);

#endif
