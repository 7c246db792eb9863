/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the driver itself to know whether a call waits. Context of all: call. */
#ifndef HOOKS_BLOCKING_DRIVER_H
#define HOOKS_BLOCKING_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

enum blocking_memory {
	BLOCKING_DEVICE,
	BLOCKING_MANAGED,
	BLOCKING_PINNED,
	BLOCKING_PAGEABLE	/* also what the driver does not know, or cannot be asked of */
};

enum blocking_memory blocking_memory_at(uint64_t address);

/* Whether it was allocated from a memory pool; false where the driver cannot be asked. */
bool blocking_in_pool(uint64_t address);

/* Whether a stream, which is not the legacy one, is being captured. */
bool blocking_captured(uint64_t stream);

#endif
