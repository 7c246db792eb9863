/* SPDX-License-Identifier: Apache-2.0 */
/* The core's own locks: held with signals blocked, and free in the child of fork. */
#include "hooks/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "util/signals.h"

static pthread_mutex_t locks[LOCKS];
static _Atomic pid_t process;

void lock_setup(void)
{
	lock_forked();
}

void lock_forked(void)
{
	for (int i = 0; i < LOCKS; i++)
		locks[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	atomic_store_explicit(&process, getpid(), memory_order_relaxed);
}

void lock_block_signals(sigset_t *saved)
{
	signals_block(saved);
}

void lock_unblock_signals(const sigset_t *saved)
{
	signals_restore(saved);
}

/*
 * No lock is held over a fork: the program's fork handlers may wait for a thread
 * that waits for it. Handlers that run before ours in the child find it free as well.
 */
void lock_take(enum lock lock, sigset_t *saved)
{
	lock_block_signals(saved);
	if (atomic_load_explicit(&process, memory_order_relaxed) != getpid())
		lock_forked();
	pthread_mutex_lock(&locks[lock]);
}

void lock_release(enum lock lock, const sigset_t *saved)
{
	pthread_mutex_unlock(&locks[lock]);
	lock_unblock_signals(saved);
}
