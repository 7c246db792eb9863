/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes with the last of its handles and mappings. */
#include "hooks/modules/limit/limit_share.h"

#include <stddef.h>

#include <cuaudit/hook.h>

#include "hooks/modules/limit/limit.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_spin.h"

/* Under the lock, as are count and leaving of the slots that lead to it. */
struct block {
	struct block *next;	/* while unused */
	uint64_t charge;
	uint64_t context;
	uint32_t device;
	uint32_t library;
	uint32_t handles;
	uint32_t maps;
	bool imported;
};

enum { PIECE = 64 * 1024 };

static struct spin lock;
static struct block *unused;

static struct block *block_new(void)
{
	struct block *block = unused;

	if (!block) {
		block = cuaudit_pages(PIECE);
		if (!block)
			return NULL;
		for (size_t i = 0; i + 1 < PIECE / sizeof(*block); i++)
			block[i].next = &block[i + 1];
	}
	unused = block->next;
	return block;
}

static struct block *block_of(const struct slot *slot)
{
	return (struct block *)(uintptr_t)atomic_load_explicit(&slot->owner,
							       memory_order_relaxed);
}

static void put(struct block *block)
{
	if (block->handles || block->maps)
		return;
	account_hold(block->library, -(int64_t)charge_bytes(block->charge));
	charge_give(block->charge);
	block->next = unused;
	unused = block;
}

static bool add(enum table_kind kind, uint64_t value, struct block *block)
{
	struct slot *slot = table_add(kind, value, 0, (uintptr_t)block, block->library);

	if (slot)
		slot->count = 1;
	return slot != NULL;
}

bool share_add(enum table_kind kind, uint64_t value, uint64_t charge, uint32_t device,
	       uint64_t context, uint32_t library)
{
	struct spin_saved saved;
	struct block *block;
	struct slot *slot;
	bool lost = false;

	spin_lock(&lock, &saved);
	slot = table_find(kind, value);
	block = slot ? NULL : block_new();
	if (slot) {
		slot->count++;
		block_of(slot)->handles++;
	} else if (block) {
		*block = (struct block){
			.charge = charge,
			.context = context,
			.device = device,
			.library = library,
			.handles = 1,
			.imported = !charge,
		};
		if (charge)
			account_hold(library, (int64_t)charge_bytes(charge));
		lost = !add(kind, value, block);
	} else {
		lost = true;
	}
	spin_unlock(&lock, &saved);
	/* What is charged stays so for ever; what would be once it is mapped never is. */
	if (lost && charge)
		limit_lost++;
	else if (lost)
		gap_report(GAP_MEMORY, NULL, NULL);
	return !slot;
}

/* The block mapped at an address, which need not be where the mapping begins. */
static struct block *mapped_at(uint64_t address)
{
	struct slot *slot = table_find(TABLE_MAPPING, address);
	uint64_t cursor = 0;

	if (slot)
		return block_of(slot);
	while ((slot = table_next(&cursor, TABLE_MAPPING, 0, 0)))
		if (address - table_value(slot) < slot->charge)
			return block_of(slot);
	return NULL;
}

void share_retain(uint64_t handle, uint64_t address)
{
	struct spin_saved saved;
	struct block *block = NULL;
	struct slot *slot;
	bool lost = false;

	spin_lock(&lock, &saved);
	slot = table_find(TABLE_HANDLE, handle);
	if (slot)
		slot->count++;
	block = slot ? block_of(slot) : mapped_at(address);
	/* A handle that is not remembered keeps the memory charged for ever. */
	if (block) {
		lost = !slot && !add(TABLE_HANDLE, handle, block);
		block->handles++;
	}
	spin_unlock(&lock, &saved);
	if (lost)
		limit_lost++;
}

struct slot *share_leave(enum table_kind kind, uint64_t value)
{
	struct spin_saved saved;
	struct slot *slot;

	spin_lock(&lock, &saved);
	slot = table_find(kind, value);
	/* The last to leave: from when the driver returns, the value may be another's. */
	if (slot && ++slot->leaving == slot->count)
		table_claim(kind, value);
	spin_unlock(&lock, &saved);
	return slot;
}

void share_left(struct slot *slot, bool gone)
{
	struct spin_saved saved;
	struct block *block;

	spin_lock(&lock, &saved);
	block = block_of(slot);
	slot->leaving--;
	if (gone) {
		slot->count--;
		block->handles--;
	} else {
		table_restore(slot);
	}
	if (!slot->count)
		table_drop(slot);
	put(block);
	spin_unlock(&lock, &saved);
}

struct block *share_map(uint64_t handle, uint64_t end, bool force, struct account **refuses,
			uint32_t *device)
{
	struct spin_saved saved;
	struct block *block = NULL;
	struct slot *slot;
	uint64_t charged;

	*refuses = NULL;
	spin_lock(&lock, &saved);
	slot = table_find(TABLE_HANDLE, handle);
	if (slot)
		block = block_of(slot);
	charged = block ? charge_bytes(block->charge) : 0;
	*device = block ? block->device : 0;
	if (block && block->imported && end > charged && end <= CHARGE_MAX) {
		*refuses = account_take(block->device, end - charged, true, force);
		if (!*refuses) {
			block->charge = charge_make(block->device, 0, true, end);
			account_hold(block->library, (int64_t)(end - charged));
			account_keep(block->device);
		}
	}
	if (*refuses)
		block = NULL;
	if (block)
		block->maps++;
	spin_unlock(&lock, &saved);
	return block;
}

void share_mapped(struct block *block, bool mapped, uint64_t address, uint64_t size)
{
	struct spin_saved saved;

	spin_lock(&lock, &saved);
	if (!mapped) {
		block->maps--;
		put(block);
	} else if (!table_add(TABLE_MAPPING, address, size, (uintptr_t)block, 0)) {
		limit_lost++;
	}
	spin_unlock(&lock, &saved);
}

static void claim(struct slot *slot, struct slot **chain)
{
	if (table_claim(TABLE_MAPPING, table_value(slot)) != slot)
		return;
	slot->chain = *chain;
	*chain = slot;
}

struct slot *share_unmap(uint64_t address, uint64_t size)
{
	uint64_t end = address + size, cursor = 0;
	struct slot *slot, *chain = NULL;
	struct spin_saved saved;

	spin_lock(&lock, &saved);
	while (address < end && (slot = table_find(TABLE_MAPPING, address)) && slot->charge) {
		address += slot->charge;
		claim(slot, &chain);
	}
	/* What is left begins after a gap of what we never saw. */
	while (address < end && (slot = table_next(&cursor, TABLE_MAPPING, 0, 0)))
		if (table_value(slot) - address < end - address)
			claim(slot, &chain);
	spin_unlock(&lock, &saved);
	return chain;
}

void share_unmapped(struct slot *chain, bool gone)
{
	struct spin_saved saved;

	spin_lock(&lock, &saved);
	while (chain) {
		struct slot *slot = chain;
		struct block *block = block_of(slot);

		chain = slot->chain;
		if (gone) {
			table_drop(slot);
			block->maps--;
			put(block);
		} else {
			table_restore(slot);
		}
	}
	spin_unlock(&lock, &saved);
}

void share_context_gone(uint64_t context)
{
	struct spin_saved saved;
	uint64_t cursor = 0;
	struct slot *slot;

	spin_lock(&lock, &saved);
	while ((slot = table_next(&cursor, TABLE_OPENED, 0, 0))) {
		struct block *block = block_of(slot);

		if (block->context != context || slot->leaving)
			continue;
		block->handles -= slot->count;
		table_drop(slot);
		put(block);
	}
	spin_unlock(&lock, &saved);
}

void share_forked(void)
{
	spin_forked(&lock);
	unused = NULL;
}
