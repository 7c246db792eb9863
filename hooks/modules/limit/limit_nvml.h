/* SPDX-License-Identifier: Apache-2.0 */
/* What NVML knows of the processes on a device, and how much of its memory this one has. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_NVML_H
#define HOOKS_MODULES_LIMIT_LIMIT_NVML_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Context of all: call, by one thread at a time. NVML allocates memory and has locks of its own, and the
 * loader has, as the driver does and has: it is asked around calls in which the driver does the same. All but
 * nvml_load with signals blocked, and on a stack with room: it takes 22 KiB of it, where cuMemGetInfo takes 6.
 */

/* Loads it. False: it is not there, or too old. */
bool nvml_load(void);

/* Loads it if need be, and has it open the devices, which takes milliseconds and descriptors. */
bool nvml_open(void);

/* A device by its UUID, and who is on it before this process is. NULL, or why it cannot be asked. */
const char *nvml_prepare(uint32_t device, const uint8_t uuid[16]);

/* NULL, or why it is not known; expected: this process has a context there. */
const char *nvml_used(uint32_t device, bool expected, uint64_t *bytes);

/* In the child of fork. */
void nvml_forked(void);

#endif
