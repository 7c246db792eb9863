/* SPDX-License-Identifier: Apache-2.0 */
/* The library that made a call, for hooks of the core's own. Context: call. */
#ifndef HOOKS_LIBRARY_CALL_H
#define HOOKS_LIBRARY_CALL_H

#include <cuaudit/call.h>

#include "hooks/core_link.h"
#include "hooks/frame.h"
#include "hooks/thread.h"

/* What library_of_call does where the thread does not know the caller yet. */
const struct cuaudit_library *library_look_up(struct thread_caller *known, const void *caller,
					      uint32_t generation);

/* The library that made a call: cuaudit_call_library without a call of its own. */
static inline const struct cuaudit_library *library_of_call(const struct cuaudit_call *call)
{
	uintptr_t address = (uintptr_t)call->caller;
	struct thread_caller *known = &frame_thread((const struct frame *)call)
					       ->callers[(address >> 2 ^ address >> 9) % THREAD_CALLERS];
	/* Pairs with set_extent of the auditor. */
	uint32_t generation = atomic_load_explicit(&cuaudit_core_link->generation,
						   memory_order_acquire);

	if (likely(known->address == call->caller && known->generation == generation))
		return known->library;
	return library_look_up(known, call->caller, generation);
}

#endif
