/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a binding is given: the stub or the function itself. */
#include "audit/bind.h"

#include "audit/chosen.h"
#include "audit/driver.h"
#include "audit/judge.h"
#include "audit/libc.h"
#include "audit/relocate.h"
#include "audit/stub.h"
#include "audit/sys.h"

enum {
	OF_THE_DRIVER = LINK_OBJECT_DRIVER | LINK_OBJECT_DRIVER_PRIVATE | LINK_OBJECT_CORE
};

static void count(_Atomic uint32_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

bool bind_slot(struct link_object *from, uint32_t number, uint32_t route)
{
	struct link_slot *slot = &object_table.slots[number];
	uint32_t real = from && (from->flags & LINK_OBJECT_EXCLUDED) ? LINK_REAL : 0;

	if (!from || (from->flags & OF_THE_DRIVER))
		return false;
	link_count(&object_table, from->index, number, route + real);
	if (real) {
		judge_excluded(from);
		return false;
	}
	count(route == LINK_DLSYM ? &slot->dlsym :
	      route == LINK_RELOCATION ? &slot->relocation : &slot->plt);
	return true;
}

/*
 * What binds a provider's own functions, or is excluded, costs no slot; nor does the unwinder, which
 * the core goes to within a hook: calls of its own there would be hooked, and unwound again.
 */
static bool is_hooked(const struct link_object *from, const struct link_object *to)
{
	return from && from != to && !(from->flags & (OF_THE_DRIVER | LINK_OBJECT_EXCLUDED)) &&
	       !sys_equal(from->name, "libgcc_s.so.1");
}

/* The slot of what was bound, -1: it has none. */
static int slot_of(struct link_object *from, struct link_object *to, unsigned int symbol, uintptr_t value,
		   const char *name)
{
	if (to->flags & LINK_OBJECT_PROVIDER)
		return is_hooked(from, to) ? chosen_slot(to, symbol, value) : -1;
	return to->flags & LINK_OBJECT_DRIVER ? driver_slot(to, symbol) : libc_slot(from, to, value, name);
}

uintptr_t bind_symbol(struct link_object *from, struct link_object *to,
		      unsigned int symbol, uintptr_t value, bool by_dlsym, const char *name)
{
	uint32_t route = LINK_PLT;
	int number = to ? slot_of(from, to, symbol, value, name) : -1;

	if (number < 0)
		return value;
	/* With a repointed symbol table, value is the stub. */
	if (object_table.symtab_interposed)
		value = (uintptr_t)atomic_load_explicit(&object_table.slots[number].real,
							memory_order_relaxed);
	if (by_dlsym)
		route = LINK_DLSYM;
	else if (from && relocate_was_rewritten(from, name))
		route = LINK_RELOCATION;
	return bind_slot(from, (uint32_t)number, route)
		       ? (uintptr_t)stub_address((uint32_t)number) : value;
}
