/* SPDX-License-Identifier: Apache-2.0 */
/* A library that patches the driver's code; it asks for one byte more than its caller. */
#ifndef T_HOSTILE_PATCHER_H
#define T_HOSTILE_PATCHER_H

/* 0 if function, which has the type of cuMemAlloc_v2, is patched. */
int patcher_patch(void *function, int by_copy);

/* The address dlsym gives that library. */
void *patcher_look_up(const char *name);

/* How many calls it saw. */
int patcher_calls(void);

#endif
