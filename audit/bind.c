/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a binding is given: the stub or the function itself. */
#include "audit/bind.h"

#include "audit/driver.h"
#include "audit/relocate.h"
#include "audit/stub.h"

enum {
	NEVER_ROUTED = LINK_OBJECT_DRIVER | LINK_OBJECT_COMPANION | LINK_OBJECT_CORE |
		       LINK_OBJECT_EXCLUDED
};

static void count(_Atomic uint32_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

uintptr_t bind_symbol(struct link_object *from, const struct link_object *to,
		      unsigned int symbol, uintptr_t value, bool by_dlsym, const char *name)
{
	struct link_slot *slot;
	int number;

	if (!to || !(to->flags & LINK_OBJECT_DRIVER))
		return value;
	number = driver_slot(to, symbol);
	if (number < 0)
		return value;
	slot = &object_table.slots[number];
	/* With a repointed symbol table, value is the stub. */
	if (!from || (from->flags & NEVER_ROUTED))
		return object_table.everybody ? (uintptr_t)atomic_load_explicit(
							&slot->real, memory_order_relaxed)
					      : value;
	if (by_dlsym)
		count(&slot->dlsym);
	else if (relocate_was_rewritten(from, name))
		count(&slot->relocation);
	else
		count(&slot->plt);
	return (uintptr_t)stub_address((uint32_t)number);
}
