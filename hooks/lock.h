/* SPDX-License-Identifier: Apache-2.0 */
/* The core's own locks: held with signals blocked, and free in the child of fork. */
#ifndef HOOKS_LOCK_H
#define HOOKS_LOCK_H

#include <signal.h>

/* In the order they are taken in. */
enum lock {
	LOCK_TABLES,	/* the driver's export tables */
	LOCK_SETUP,	/* who adds hooks or functions, over all that takes */
	LOCK_RECORDS,	/* what those share with who detaches; nothing is waited for under it */
	LOCK_THREADS,
	LOCK_KERNELS,
	LOCK_RUNTIME,	/* the driver's table for tools */
	LOCK_RANGES,	/* the names that programs give */
	LOCK_PAGES,	/* pages that are written to, whose protection is changed */
	LOCKS
};

/* Context: setup, once. */
void lock_setup(void);

/*
 * Context: call, not under the same lock. A signal handler on this thread never finds
 * the lock taken by what it interrupted.
 */
void lock_take(enum lock lock, sigset_t *saved);
void lock_release(enum lock lock, const sigset_t *saved);

/* Context: call. All signals but glibc's SIGSETXID, the one that cancels threads too. */
void lock_block_signals(sigset_t *saved);
void lock_unblock_signals(const sigset_t *saved);

/* Context: call, in the child of fork, whose other threads may have held some. */
void lock_forked(void);

#endif
