/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for moments, of threads inside hooks; under it at most the driver is asked a number. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_SPIN_H
#define HOOKS_MODULES_LIMIT_LIMIT_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct spin {
	atomic_flag taken;
};

/* The kernel's signal set. */
struct spin_saved {
	uint64_t signals;
};

/* With signals blocked. */
static inline void spin_take(struct spin *lock)
{
	while (atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire))
		sched_yield();
}

/*
 * With all signals blocked, those of libc too: a handler that leaves by
 * siglongjmp, or a cancellation, would leave the lock taken for ever.
 */
static inline void spin_lock(struct spin *lock, struct spin_saved *saved)
{
	static const uint64_t all = UINT64_MAX;

	syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &saved->signals, sizeof(all));
	spin_take(lock);
}

static inline void spin_unlock(struct spin *lock, const struct spin_saved *saved)
{
	atomic_flag_clear_explicit(&lock->taken, memory_order_release);
	syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &saved->signals, NULL, sizeof(uint64_t));
}

/* In the child of fork: whoever had it is no more. */
static inline void spin_forked(struct spin *lock)
{
	atomic_flag_clear(&lock->taken);
}

#endif
