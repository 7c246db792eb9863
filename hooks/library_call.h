/* SPDX-License-Identifier: Apache-2.0 */
/* The library that made a call, for hooks of the core's own. Context: call. */
#ifndef HOOKS_LIBRARY_CALL_H
#define HOOKS_LIBRARY_CALL_H

#include <cuaudit/call.h>

#include "hooks/core_link.h"
#include "hooks/frame.h"
#include "hooks/thread.h"

/* Where a thread keeps the library of a caller. */
static inline struct thread_caller *library_caller(const struct cuaudit_call *call)
{
	uintptr_t address = (uintptr_t)call->caller;

	return &frame_thread((const struct frame *)call)
			->callers[(address >> 2 ^ address >> 9) % THREAD_CALLERS];
}

/* The library that made a call; NULL where the thread does not know it yet. */
static inline const struct cuaudit_library *library_known(const struct cuaudit_call *call)
{
	const struct thread_caller *known = library_caller(call);

	/* Pairs with set_extent of the auditor. */
	return known->address == call->caller &&
	       known->generation == atomic_load_explicit(&cuaudit_core_link->generation,
							 memory_order_acquire) ? known->library : NULL;
}

/* What library_of_call does then. */
const struct cuaudit_library *library_look_up(const struct cuaudit_call *call);

/* The library that made a call: cuaudit_call_library without a call of its own. */
static inline const struct cuaudit_library *library_of_call(const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = library_known(call);

	return likely(library) ? library : library_look_up(call);
}

#endif
