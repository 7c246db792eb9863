/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the driver takes for a process beside what is allocated: contexts, code, buffers. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_OWN_H
#define HOOKS_MODULES_LIMIT_LIMIT_OWN_H

#include <stdint.h>

/* Context: setup. With count=all: what tells of it is opened, hooks are added. 0, or -errno after a message. */
int own_begin(void);
int own_add_hooks(void);

/* Bytes that are counted of a device so, and the most that were. */
uint64_t own_bytes(uint32_t device);
uint64_t own_peak(uint32_t device);

/* In the child of fork: nothing is taken. */
void own_forked(void);

#endif
