/* SPDX-License-Identifier: Apache-2.0 */
/* Routes what the driver's own look-up hands out. */
#include "hooks/procaddr.h"

#include "hooks/core_link.h"
#include "hooks/coverage.h"
#include "hooks/hook.h"
#include "hooks/library.h"

/* The arguments of every LOOKUP in special.def. */
enum { NAME, ANSWER, VERSION_ASKED, FLAGS };

static int slot_at(const struct link_driver *driver, uintptr_t address)
{
	uint32_t low = 0, high = atomic_load_explicit(&driver->nexports, memory_order_acquire);

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (driver->exports[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < atomic_load_explicit(&driver->nexports, memory_order_relaxed) &&
	    driver->exports[low].address == address)
		return (int)driver->exports[low].slot;
	return -1;
}

/* In the driver that was asked first; a loader of the driver may answer with another's. */
static int find_slot(uint32_t asked, uintptr_t address)
{
	uint32_t count = atomic_load_explicit(&cuaudit_core_link->ndrivers, memory_order_acquire);
	int slot = slot_at(&cuaudit_core_link->drivers[asked], address);

	for (uint32_t i = 0; slot < 0 && i < count; i++)
		slot = slot_at(&cuaudit_core_link->drivers[i], address);
	return slot;
}

/* What is a stub already was answered by a hook or by another driver's look-up. */
static bool is_stub(uintptr_t address)
{
	uintptr_t first = (uintptr_t)cuaudit_core_link->stubs;

	return address >= first &&
	       address < first + (uintptr_t)LINK_SLOTS * cuaudit_core_link->stub_size;
}

/*
 * The driver was asked with unchanged arguments. Its status, its NULL and its
 * choice of version stand; only an address that is an export becomes the stub.
 */
static void answer(struct cuaudit_call *call, void *data)
{
	void **where = (void **)call->words[ANSWER];
	uintptr_t address;
	int slot;

	(void)data;
	const struct cuaudit_library *library;
	bool real;

	if (call->result || !where || !*where)
		return;
	library = cuaudit_call_library(call);
	real = library_is_excluded(library);
	address = (uintptr_t)*where;
	if (is_stub(address))
		return;
	slot = find_slot(call->function->driver, address);
	if (library->index && slot >= 0)
		link_count(cuaudit_core_link, library->index - 1, (uint32_t)slot,
			   LINK_PROCADDR + (real ? LINK_REAL : 0));
	if (real)
		return;
	if (slot < 0) {
		coverage_escape(CUAUDIT_ESCAPE_PROCADDR, (const char *)call->words[NAME],
				(uint32_t)call->words[VERSION_ASKED], call->words[FLAGS],
				library, call->caller);
		return;
	}
	atomic_fetch_add_explicit(&coverage_procaddr[slot], 1, memory_order_relaxed);
	*where = (void *)(cuaudit_core_link->stubs +
			  (size_t)slot * cuaudit_core_link->stub_size);
}

int procaddr_setup(void)
{
	static const char functions[] =
#define LOOKUP(symbol) #symbol ","
#include "hooks/core_functions.def"
	;

	return hook_add_core("procaddr", functions, answer);
}
