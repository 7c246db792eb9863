/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of modules' own, beside the program's. */
#ifndef HOOKS_MODULES_HELPER_H
#define HOOKS_MODULES_HELPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A helper keeps no process alive, nor is it the thread that ends one: glibc,
 * where the last thread of a process runs its exit handlers, does not count it.
 * Where the main thread left by the system call exit, or glibc does not tell what
 * it counts (before 2.34), one returns when only helpers are left. Signals are blocked in it.
 */
struct helper {
	pthread_t thread;
	void *(*run)(void *helper);
	bool started;
	_Atomic uint32_t wakes;		/* a futex */
	_Atomic bool ending;
	uint64_t look;			/* when it looks again whether the program is over */
};

/* Context: setup, before the first helper is started. */
void helper_prepare(void);

/*
 * 0 or -errno. Context: setup; or call, where malloc may be called: of a thread that holds none of
 * its locks, as a handler of a signal may.
 */
int helper_start(struct helper *helper, void *(*run)(void *helper));

/*
 * Context: call, by the helper. Waits so many nanoseconds, UINT64_MAX for ever,
 * or until helper_wake was called after `seen` was read. False: it is to return.
 */
bool helper_wait(struct helper *helper, uint32_t seen, uint64_t ns);

/* Context: call. */
uint32_t helper_seen(const struct helper *helper);
void helper_wake(struct helper *helper);

/* Context: setup, on any thread, also the helper's own. Returns when the helper has returned. */
void helper_end(struct helper *helper);

/* Context: call, in the child of fork: there is none. */
void helper_forked(struct helper *helper);

#endif
