/* SPDX-License-Identifier: Apache-2.0 */
/* Replacements of driver functions, and how they call the driver's own. */
#include <cuaudit/replace.h>

#include <cuaudit/coverage.h>
#include <errno.h>

#include "hooks/core_link.h"
#include "hooks/entry.h"
#include "hooks/thread.h"

enum {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) + 1
	ROWS = 0
#include <cuaudit/driver_api.def>
#undef CUAPI
};

int cuaudit_replace(const char *functions, cuaudit_enter_fn enter, void *function)
{
	/* Inside of every other hook, the core's own too: they see what the replacement answers. */
	const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.priority = INT32_MAX,
		.functions = functions,
		.name = "replacement",
		.enter = enter,
		.data = function,
	};

	return function ? cuaudit_hook_add(&hook) : -EINVAL;
}

/* The copy of the driver whose call a hook is running in, else the first one. */
static uint32_t current_driver(void)
{
	const struct thread *thread = thread_self;
	const struct cuaudit_call *call;

	if (!thread || !(thread->state & THREAD_INSIDE) || thread->state == THREAD_ENDING)
		return 0;
	call = (const struct cuaudit_call *)thread_frame(thread->state);
	return call->function->driver;
}

void *cuaudit_real(int id)
{
	/* Slot + 1 of each row in each driver, once found; every thread writes the same. */
	static _Atomic uint16_t slots[LINK_DRIVERS][ROWS];
	uint32_t driver = current_driver(), slot;

	if (id < 0 || id >= ROWS || driver >= LINK_DRIVERS)
		return NULL;
	slot = atomic_load_explicit(&slots[driver][id], memory_order_relaxed);
	for (uint32_t i = 0, count = slot ? 0 : cuaudit_functions(); i < count && !slot; i++)
		if (entry_table[i].function.id == id &&
		    entry_table[i].function.driver == driver)
			slot = i + 1;
	if (!slot)
		return NULL;
	atomic_store_explicit(&slots[driver][id], (uint16_t)slot, memory_order_relaxed);
	return atomic_load_explicit(&entry_table[slot - 1].real, memory_order_relaxed);
}
