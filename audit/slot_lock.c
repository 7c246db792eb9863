/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of what bindings change: slots and their names. */
#include "audit/slot_lock.h"

#include <stdatomic.h>

#include "audit/sys.h"

enum { TRIES = 1000 };

static _Atomic long holder;	/* the process of the thread that has the lock, 0: none */

/*
 * A thread of this process has its signals blocked, and is done in moments. One of
 * another process was left behind by fork, with a slot that is not counted yet.
 */
uint64_t slot_lock_take(void)
{
	uint64_t signals = sys_block_signals();
	long own = sys_process();

	for (int tries = 0;;) {
		long found = 0;

		if (atomic_compare_exchange_strong_explicit(&holder, &found, own,
							    memory_order_acquire,
							    memory_order_relaxed))
			return signals;
		if (found != own && ++tries == TRIES)
			atomic_compare_exchange_strong_explicit(&holder, &found, 0,
								memory_order_relaxed,
								memory_order_relaxed);
		sys_yield();
	}
}

void slot_lock_release(uint64_t signals)
{
	atomic_store_explicit(&holder, 0, memory_order_release);
	sys_unblock_signals(signals);
}
