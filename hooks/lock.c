/* SPDX-License-Identifier: Apache-2.0 */
/* The core's own locks: held with signals blocked, and free in the child of fork. */
#include "hooks/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * glibc has two signals of its own: 32 cancels a thread at once, if it asked for that, which
 * would take the lock along; for 33, of setuid(2), another thread waits.
 */
enum { SETXID = 33, KERNEL_SET = 8 };

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
	const uint64_t all = ~((uint64_t)1 << (SETXID - 1));

	/* By the system call, as pthread_sigmask leaves out the signal that cancels. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, saved, KERNEL_SET);
}

void lock_unblock_signals(const sigset_t *saved)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, saved, NULL, KERNEL_SET);
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
