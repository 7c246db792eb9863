/* SPDX-License-Identifier: Apache-2.0 */
/* What the program is given for a domain or a text, and another tool's handles for the same. */
#ifndef NVTX_HANDLES_H
#define NVTX_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a name of the core's, by its index. */
void *handles_own(uint32_t index);
uint32_t handles_index(const void *own);

/*
 * Context: call. The index of the name that a handle stands for, the core's or another tool's;
 * false: nobody was given it.
 */
bool handles_find(const void *handle, uint32_t *index);

/* Context: call. Another tool gave this handle. pages: the core's, for memory. */
void handles_put(const void *handle, uint32_t index, void *(*pages)(size_t size));

#endif
