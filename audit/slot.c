/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of functions: adds them and says where each leads. */
#include "audit/slot.h"

#include "audit/object.h"
#include "audit/stub.h"
#include "audit/sys.h"

/* Under the lock, not the loader's as other memory. */
static struct sys_pool name_pool;

static char *copy_name(const char *name, size_t length)
{
	char *copy = sys_pool_take(&name_pool, length + 1);

	for (size_t i = 0; copy && i < length; i++)
		copy[i] = name[i];
	return copy;
}

int slot_add(uint32_t driver, const char *name, size_t length)
{
	uint32_t slot = atomic_load_explicit(&object_table.nslots, memory_order_relaxed);
	const char *copy = slot < LINK_SLOTS ? copy_name(name, length) : NULL;

	if (!copy)
		return -1;
	object_table.slots[slot].name = copy;
	object_table.slots[slot].driver = driver;
	return (int)slot;
}

void slot_add_name(uint32_t slot, const char *name, size_t length)
{
	uint32_t driver = object_table.slots[slot].driver;
	struct link_alias *first = atomic_load_explicit(&object_table.aliases,
							memory_order_relaxed), *alias;

	for (alias = first; alias; alias = alias->next) {
		uint32_t at = atomic_load_explicit(&alias->slot, memory_order_relaxed);

		if (object_table.slots[at].driver == driver && sys_equal(alias->name, name)) {
			atomic_store_explicit(&alias->slot, slot, memory_order_relaxed);
			return;
		}
	}
	alias = sys_pool_take(&name_pool, sizeof(*alias));
	if (!alias || !(alias->name = copy_name(name, length)))
		return;
	atomic_store_explicit(&alias->slot, slot, memory_order_relaxed);
	alias->next = first;
	/* Pairs with the core's reading of names. */
	atomic_store_explicit(&object_table.aliases, alias, memory_order_release);
}

bool slot_knows_unfit(const char *name)
{
	const struct link_alias *alias = atomic_load_explicit(&object_table.unfit, memory_order_relaxed);

	while (alias && !sys_equal(alias->name, name))
		alias = alias->next;
	return alias;
}

void slot_add_unfit(uint32_t function, const char *name, size_t length)
{
	struct link_alias *alias = sys_pool_take(&name_pool, sizeof(*alias));

	if (!alias || !(alias->name = copy_name(name, length)))
		return;
	atomic_store_explicit(&alias->slot, function, memory_order_relaxed);
	alias->next = atomic_load_explicit(&object_table.unfit, memory_order_relaxed);
	/* Pairs with the core's reading of names. */
	atomic_store_explicit(&object_table.unfit, alias, memory_order_release);
}

/*
 * Points the slot at its function, and a route that went straight there after
 * it. The core's route() may be at work: it stores the route, then reads what
 * is stored in its mirror here, before the route is read. All four are seq_cst,
 * so one of the two sees the other's: release alone lets AArch64 read first.
 */
void slot_fill(uint32_t slot, void *real)
{
	uint32_t count = atomic_load_explicit(&object_table.nslots, memory_order_relaxed);
	void *old = atomic_exchange_explicit(&object_table.slots[slot].real, real,
					     memory_order_relaxed);

	if (object_table.mirror)
		atomic_store_explicit((_Atomic(void *) *)((char *)object_table.mirror +
				      (size_t)slot * object_table.mirror_stride),
				      real, memory_order_seq_cst);
	if (slot == count) {
		object_tell_generation(slot, slot + 1);
		stub_route(slot, stub_resolver());
		/* Pairs with the core's attach. */
		atomic_store_explicit(&object_table.nslots, slot + 1, memory_order_release);
		/* An object may have come meanwhile: that told those that there were. */
		object_tell_generation(slot, slot + 1);
	} else {
		stub_reroute(slot, old, real);
	}
}
