/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the texts that a program gives to NVTX, which without a tool reads none of them. */
#ifndef HOOKS_RANGE_READ_H
#define HOOKS_RANGE_READ_H

#include <stdbool.h>
#include <stddef.h>

/* What stands for a text that cannot be read. */
#define RANGE_UNREADABLE "(unreadable)"

/*
 * Context: call. Whether so many bytes can be read. A page that could once is not asked for again
 * while it is remembered: a system call for each text would take longer than all the rest.
 */
bool range_readable(const void *address, size_t size);

/* Context: call. The length of a text, most if it is longer; SIZE_MAX if it cannot be read. */
size_t range_text_length(const char *text, size_t most);

#endif
