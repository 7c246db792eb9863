/* SPDX-License-Identifier: Apache-2.0 */
/* What NVML knows of the processes on a device, and how much of its memory this one has. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_NVML_H
#define HOOKS_MODULES_LIMIT_LIMIT_NVML_H

#include <stdbool.h>
#include <stdint.h>

/* Context: setup. False: it is not there, or too old. */
bool nvml_open(void);

/*
 * Context of all that follow: call, by one thread at a time. NVML allocates memory and has locks of its
 * own, as the driver does: it is asked around calls in which the driver does the same.
 */

/* A device by its UUID, and who is on it before this process is. False: NVML does not know it. */
bool nvml_prepare(uint32_t device, const uint8_t uuid[16]);

/* NULL, or why it is not known; expected: this process has a context there. */
const char *nvml_used(uint32_t device, bool expected, uint64_t *bytes);

/* In the child of fork. */
void nvml_forked(void);

#endif
