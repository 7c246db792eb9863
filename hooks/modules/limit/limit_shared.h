/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes of a user hold together, in a file they share. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_SHARED_H
#define HOOKS_MODULES_LIMIT_LIMIT_SHARED_H

#include <stdbool.h>
#include <stdint.h>

enum shared_answer {
	SHARED_TAKEN,
	SHARED_REFUSED,		/* more than the limit would be held */
	SHARED_BROKEN		/* the file cannot tell: shared_fault says why */
};

/*
 * Context: setup. The file that counts; NULL for the user's own in /dev/shm.
 * Without this call nothing is counted and all is allowed. False: see
 * shared_fault.
 */
bool shared_open(const char *path);

/*
 * Context: call, any thread. Waits for other processes for a fifth of a second
 * at most, and not again for one that it has waited for in vain. force: it is
 * taken whatever the limit, also when broken.
 */
enum shared_answer shared_take(uint64_t bytes, uint64_t limit, bool force);
void shared_give(uint64_t bytes);

/* What is held by all; false if the file cannot tell. */
bool shared_used(uint64_t *bytes);

/* Context: call. What was wrong last, and the path: a sentence without its end. */
const char *shared_fault(void);
const char *shared_path(void);

/* Context: call. How often this process's row was found changed by another, and written again. */
uint64_t shared_repairs(void);

/* Context: call, in the child of fork, which holds nothing. */
void shared_forked(void);

/* Context: setup. This process holds nothing any more. */
void shared_close(void);

#endif
