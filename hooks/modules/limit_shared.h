/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes of a user hold together, in a file they share. */
#ifndef HOOKS_MODULES_LIMIT_SHARED_H
#define HOOKS_MODULES_LIMIT_SHARED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Context: setup. The file that counts; NULL for the user's own in /dev/shm.
 * Without this call nothing is counted and all is allowed. 0 or -errno.
 */
int shared_open(const char *path);

/* Context: call, any thread. False: more than limit would be held, or nobody can tell. */
bool shared_take(uint64_t bytes, uint64_t limit, bool force);
void shared_give(uint64_t bytes);

/* What is held by all. */
uint64_t shared_used(void);

/* Context: call, in the child of fork, which holds nothing. */
void shared_forked(void);

/* Context: setup. This process holds nothing any more. */
void shared_close(void);

#endif
