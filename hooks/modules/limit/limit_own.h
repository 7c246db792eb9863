/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the driver takes for a process beside what is allocated: contexts, code, buffers. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_OWN_H
#define HOOKS_MODULES_LIMIT_LIMIT_OWN_H

#include <stdbool.h>
#include <stdint.h>

/* Context: setup. Where it is to count: whether it can, if count=all is given, and hooks. 0, or -errno after a message. */
int own_begin(void);
int own_add_hooks(void);

/* Whether NVML ever told any, of a device or at all; how many there are of a device, and the most that were. */
bool own_known(uint32_t device);
bool own_any(void);
uint64_t own_bytes(uint32_t device);
uint64_t own_peak(uint32_t device);

/* In the child of fork: nothing is taken. */
void own_forked(void);

#endif
