/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for moments, of threads inside hooks; under it at most the driver is asked a number. */
#ifndef HOOKS_MODULES_LIMIT_SPIN_H
#define HOOKS_MODULES_LIMIT_SPIN_H

#include <sched.h>
#include <stdatomic.h>

/*
 * Nothing waits for the thread it interrupted: the calls of a handler that
 * comes while a hook runs have no hooks.
 */
static inline void spin_lock(atomic_flag *lock)
{
	while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
		sched_yield();
}

static inline void spin_unlock(atomic_flag *lock)
{
	atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
