/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that give memory back: what goes with each, and whether it went. */
#include "hooks/modules/limit/limit_calls.h"

#include "hooks/modules/limit/limit_charge.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_share.h"
#include "hooks/modules/limit/limit_table.h"

static _Atomic uint32_t attached;

void give_forked(void)
{
	attached = 0;
}

/* Memory opened may be freed like any other: bit 0 of the scratch tells. */
static void leave_memory(struct cuaudit_call *call)
{
	uint64_t address = calls_word(call, 0);
	struct slot *slot = address ? table_claim(TABLE_MEMORY, address) : NULL;

	call->scratch = (uintptr_t)slot;
	if (!address || slot)
		return;
	slot = share_leave(TABLE_OPENED, address);
	if (slot)
		call->scratch = (uintptr_t)slot | 1;
}

void give_enter(struct cuaudit_call *call, enum limit_kind kind)
{
	switch (kind) {
	case LIMIT_FREE:
		leave_memory(call);
		break;
	case LIMIT_ARRAY_FREE:
		call->scratch = (uintptr_t)table_claim(TABLE_ARRAY, call->words[0]);
		break;
	case LIMIT_MIPMAP_FREE:
		call->scratch = (uintptr_t)table_claim(TABLE_MIPMAP, call->words[0]);
		break;
	case LIMIT_GRAPH_FREE:
		call->scratch = (uintptr_t)table_claim(TABLE_GRAPH, call->words[0]);
		break;
	case LIMIT_RELEASE:
		call->scratch = (uintptr_t)share_leave(TABLE_HANDLE, call->words[0]);
		break;
	case LIMIT_CLOSE:
		call->scratch = (uintptr_t)share_leave(TABLE_OPENED, call->words[0]);
		break;
	case LIMIT_UNMAP:
		call->scratch = (uintptr_t)share_unmap(call->words[0], call->words[1]);
		break;
	case LIMIT_POOL_DESTROY:
		call->scratch = pool_leave(calls_pointer(call, 0));
		break;
	case LIMIT_CONTEXT_DESTROY:
	case LIMIT_DETACH:
		call->scratch = calls_pointer(call, 0) ? driver_context(calls_pointer(call, 0)) : 0;
		break;
	case LIMIT_PRIMARY_RELEASE:
	case LIMIT_PRIMARY_RESET:
		call->scratch = driver_primary((CUdevice)call->words[0]);
		break;
	default:
		break;
	}
}

static void drop(struct slot *slot)
{
	uint64_t charge = slot->charge;
	uint32_t library = slot->library;

	table_drop(slot);
	/* Before another can have it, so that it never seems to be held twice. */
	account_hold(library, -(int64_t)charge_bytes(charge));
	charge_give(charge);
}

static void gave(const struct cuaudit_call *call)
{
	struct slot *slot = (struct slot *)(uintptr_t)(call->scratch & ~UINT64_C(1));

	if (!slot)
		return;
	if (call->scratch & 1)
		share_left(slot, cuaudit_call_succeeded(call));
	else if (!cuaudit_call_succeeded(call))
		table_restore(slot);
	else
		drop(slot);
}

static void left(const struct cuaudit_call *call)
{
	if (call->scratch)
		share_left((struct slot *)(uintptr_t)call->scratch, cuaudit_call_succeeded(call));
}

static void graph_gone(const struct cuaudit_call *call)
{
	struct slot *slot = (struct slot *)(uintptr_t)call->scratch;

	if (slot && !cuaudit_call_succeeded(call))
		table_restore(slot);
	else if (slot)
		table_drop(slot);
}

static void context_gone(uint64_t context)
{
	static const enum table_kind owned[] = { TABLE_MEMORY, TABLE_ARRAY, TABLE_MIPMAP };

	for (size_t i = 0; context && i < sizeof(owned) / sizeof(owned[0]); i++) {
		uint64_t cursor = 0;
		struct slot *slot;

		while ((slot = table_next(&cursor, owned[i], context, 1)))
			drop(slot);
	}
	if (context)
		share_context_gone(context);
}

/* Pools of a device that was reset hold nothing. */
static void pools_gone(uint32_t device)
{
	uint64_t cursor = 0;
	struct slot *slot;

	while ((slot = table_next(&cursor, TABLE_MEMORY, 0, 0))) {
		uint32_t pool = charge_pool(slot->charge);

		if (pool && charge_device(slot->charge) == device && pool_is_empty(pool) &&
		    (slot = table_claim(TABLE_MEMORY, table_value(slot))))
			drop(slot);
	}
}

static void succeeded(const struct cuaudit_call *call, enum limit_kind kind)
{
	uint32_t device = (uint32_t)call->words[0];

	switch (kind) {
	case LIMIT_ATTACH:
		attached++;
		break;
	case LIMIT_DETACH:
		if (attached)
			attached--;
		else
			context_gone(call->scratch);
		break;
	case LIMIT_CONTEXT_DESTROY:
		context_gone(call->scratch);
		break;
	case LIMIT_PRIMARY_RELEASE:
		if (call->scratch && driver_primary((CUdevice)device) != call->scratch)
			context_gone(call->scratch);
		break;
	case LIMIT_PRIMARY_RESET:
		context_gone(call->scratch);
		pools_gone(device);
		break;
	default:	/* the trims */
		pool_settle(false);
	}
}

void give_exit(const struct cuaudit_call *call, enum limit_kind kind)
{
	switch (kind) {
	case LIMIT_ARRAY_FREE:
	case LIMIT_FREE:
	case LIMIT_MIPMAP_FREE:
		gave(call);
		break;
	case LIMIT_CLOSE:
	case LIMIT_RELEASE:
		left(call);
		break;
	case LIMIT_GRAPH_FREE:
		graph_gone(call);
		break;
	case LIMIT_UNMAP:
		share_unmapped((struct slot *)(uintptr_t)call->scratch,
			       cuaudit_call_succeeded(call));
		break;
	case LIMIT_POOL_DESTROY:
		if (call->scratch)
			pool_left((uint32_t)call->scratch, calls_pointer(call, 0), cuaudit_call_succeeded(call));
		break;
	default:
		if (cuaudit_call_succeeded(call))
			succeeded(call, kind);
	}
}
