/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that take memory: what they want, and what they got. */
#include "hooks/modules/limit/limit_calls.h"

#include "hooks/modules/limit/limit_charge.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_share.h"
#include "hooks/modules/limit/limit_size.h"
#include "hooks/modules/limit/limit_table.h"
#include "tables/array.h"

/* The scratch of a call that takes what cannot be counted, if it succeeds. */
#define UNTOLD UINT64_MAX

/* Before the driver is asked for what charge says. */
static int want_charge(struct cuaudit_call *call, uint64_t charge)
{
	uint32_t device = charge_device(charge);
	struct account *refuses = charge_take(charge, false);

	if (refuses) {
		pool_settle(!limit_options.dry_run);
		refuses = charge_take(charge, false);
	}
	if (refuses) {
		if (calls_refuse(call, refuses, device, charge_bytes(charge)))
			return CUAUDIT_SKIP;
		charge_take(charge, true);
	}
	call->scratch = charge;
	return CUAUDIT_CONTINUE;
}

static int want(struct cuaudit_call *call, int device, uint32_t pool, uint64_t bytes)
{
	struct account *refuses;

	if (pool == POOL_ON_HOST || !bytes)
		return CUAUDIT_CONTINUE;
	if (device < 0 || device >= ACCOUNT_DEVICES) {
		call->scratch = UNTOLD;
		return CUAUDIT_CONTINUE;
	}
	if (bytes <= CHARGE_MAX)
		return want_charge(call, charge_make((uint32_t)device, pool, false, bytes));
	/* The driver will refuse it, too, but is not asked to where there is a limit. */
	refuses = account_least((uint32_t)device);
	return refuses->limit == ACCOUNT_NONE ? CUAUDIT_CONTINUE :
	       calls_skip(call, refuses, (uint32_t)device, bytes);
}

static int want_async(struct cuaudit_call *call, uint32_t stream_at)
{
	CUstream stream = calls_stream(call, stream_at);
	int device = driver_stream_device(stream);
	uint32_t pool;

	/* That makes a node of a graph, which takes memory when it is launched. */
	if (device < 0 || driver_capturing(stream))
		return CUAUDIT_CONTINUE;
	pool = pool_find(stream_at == 2 ? driver_pool(device) : calls_pointer(call, 2), device);
	if (pool && pool != POOL_ON_HOST)
		device = (int)pool_device(pool);
	return want(call, device, pool, size_linear(call->words[1]));
}

static int want_physical(struct cuaudit_call *call)
{
	CUmemAllocationProp prop;

	if (cuaudit_safe_read(calls_pointer(call, 2), &prop, sizeof(prop)) ||
	    prop.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUAUDIT_CONTINUE;
	return want(call, prop.location.id, 0, call->words[1]);
}

static int want_array(struct cuaudit_call *call, enum array_form form, uint32_t levels)
{
	CUDA_ARRAY3D_DESCRIPTOR array;
	union array_descriptor from;

	if (cuaudit_safe_read(calls_pointer(call, 1), &from, array_form_size(form)))
		return CUAUDIT_CONTINUE;
	array = array_describe(&from, form);
	return want(call, driver_device(), 0, size_array(&array, levels));
}

static int want_graph(struct cuaudit_call *call)
{
	struct slot *slot = table_find(TABLE_GRAPH, call->words[0]);

	return slot ? want_charge(call, slot->charge) : CUAUDIT_CONTINUE;
}

static int want_mapping(struct cuaudit_call *call)
{
	uint64_t end = call->words[1] + call->words[2];
	struct account *refuses;
	uint32_t device;
	struct block *block = share_map(call->words[3], end, false, &refuses, &device);

	if (refuses && calls_refuse(call, refuses, device, end))
		return CUAUDIT_SKIP;
	if (refuses)
		block = share_map(call->words[3], end, true, &refuses, &device);
	call->scratch = (uintptr_t)block;
	return CUAUDIT_CONTINUE;
}

int take_enter(struct cuaudit_call *call, enum limit_kind kind)
{
	switch (kind) {
	case LIMIT_LINEAR:
		return want(call, driver_device(), 0, size_linear(calls_word(call, 1)));
	case LIMIT_PITCH:
		return want(call, driver_device(), 0, size_pitched(calls_word(call, 2), calls_word(call, 3)));
	case LIMIT_ASYNC:
		return want_async(call, 2);
	case LIMIT_FROM_POOL:
		return want_async(call, 3);
	case LIMIT_CREATE:
		return want_physical(call);
	case LIMIT_ARRAY:
		return want_array(call, calls_is(call, ABI32) ? ARRAY_FLAT_V1 : ARRAY_FLAT, 1);
	case LIMIT_ARRAY3D:
		return want_array(call, calls_is(call, ABI32) ? ARRAY_CUBE_V1 : ARRAY_CUBE, 1);
	case LIMIT_MIPMAP:
		return want_array(call, ARRAY_CUBE, (uint32_t)call->words[2]);
	case LIMIT_GRAPH_USE:
		return want_graph(call);
	case LIMIT_MAP:
		return want_mapping(call);
	default:
		return CUAUDIT_CONTINUE;
	}
}

static void remember(const struct cuaudit_call *call, enum table_kind kind, uint64_t context)
{
	uint64_t charge = call->scratch;
	uint32_t library = calls_library(call);

	account_hold(library, (int64_t)charge_bytes(charge));
	account_keep(charge_device(charge));
	if (!table_add(kind, kind == TABLE_MEMORY ? calls_read(call, 0) : calls_handle(call), charge,
		       context, library))
		limit_lost++;
}

/* The driver gave more than was thought, and there is no room for that. False: it may stay. */
static bool take_back(struct cuaudit_call *call, struct account *refuses, uint64_t bytes)
{
	uint64_t address = calls_read(call, 0);

	if (!calls_refuse(call, refuses, charge_device(call->scratch), bytes))
		return false;
	if (charge_pool(call->scratch))
		driver_undo_async(address, calls_stream(call, calls_kind(call) == LIMIT_FROM_POOL ? 3 : 2));
	else
		driver_undo(address);
	calls_write(call, 0, 0);
	charge_give(call->scratch);
	if (charge_pool(call->scratch))
		pool_settle(true);
	call->scratch = 0;
	return true;
}

/* What the pitch makes of it is known now. */
static void settle_pitch(struct cuaudit_call *call)
{
	uint64_t bytes = calls_read(call, 1) * calls_word(call, 3), had = charge_bytes(call->scratch);
	uint32_t device = charge_device(call->scratch);
	struct account *refuses = NULL;

	if (bytes > had)
		refuses = account_take(device, bytes - had, false, false);
	else if (bytes < had)
		account_give(device, had - bytes, false);
	if (refuses && take_back(call, refuses, bytes))
		return;
	if (refuses)
		account_take(device, bytes - had, false, true);
	call->scratch = charge_make(device, 0, false, bytes);
}

static void settle_pool(struct cuaudit_call *call)
{
	uint32_t pool = charge_pool(call->scratch);
	struct account *refuses = pool ? pool_grown(pool, false) : NULL;

	if (refuses && !take_back(call, refuses, charge_bytes(call->scratch)))
		pool_grown(pool, true);
}

static void took(struct cuaudit_call *call, enum limit_kind kind)
{
	if (call->scratch == UNTOLD && cuaudit_call_succeeded(call))
		gap_report(GAP_DRIVER, NULL, NULL);
	if (!call->scratch || call->scratch == UNTOLD)
		return;
	if (!cuaudit_call_succeeded(call)) {
		charge_give(call->scratch);
		return;
	}
	if (kind == LIMIT_PITCH)
		settle_pitch(call);
	else
		settle_pool(call);
	if (!call->scratch)
		return;
	switch (kind) {
	case LIMIT_ARRAY:
	case LIMIT_ARRAY3D:
		remember(call, TABLE_ARRAY, driver_context(NULL));
		break;
	case LIMIT_MIPMAP:
		remember(call, TABLE_MIPMAP, driver_context(NULL));
		break;
	case LIMIT_CREATE:
		account_keep(charge_device(call->scratch));
		if (!share_add(TABLE_HANDLE, calls_handle(call), call->scratch,
			       charge_device(call->scratch), 0, calls_library(call)))
			charge_give(call->scratch);
		break;
	default:
		remember(call, TABLE_MEMORY,
			 kind == LIMIT_ASYNC || kind == LIMIT_FROM_POOL ? 0 : driver_context(NULL));
	}
}

static void opened(struct cuaudit_call *call)
{
	uint64_t address = calls_read(call, 0), bytes, charge;
	struct account *refuses;
	int device;

	if (table_find(TABLE_OPENED, address)) {
		share_add(TABLE_OPENED, address, 0, 0, driver_context(NULL), calls_library(call));
		return;
	}
	device = driver_device();
	bytes = size_linear(driver_size(address));
	if (device < 0 || device >= ACCOUNT_DEVICES || !bytes || bytes > CHARGE_MAX) {
		gap_report(GAP_DRIVER, NULL, NULL);
		return;
	}
	charge = charge_make((uint32_t)device, 0, true, bytes);
	refuses = charge_take(charge, false);
	if (refuses && calls_refuse(call, refuses, (uint32_t)device, bytes)) {
		driver_undo_open(address);
		calls_write(call, 0, 0);
		return;
	}
	if (refuses)
		charge_take(charge, true);
	account_keep((uint32_t)device);
	if (!share_add(TABLE_OPENED, address, charge, (uint32_t)device, driver_context(NULL),
		       calls_library(call)))
		charge_give(charge);
}

static void imported(const struct cuaudit_call *call)
{
	uint64_t handle = calls_handle(call);
	int device = driver_handle_device(handle);

	if (device >= 0 && device < ACCOUNT_DEVICES)
		share_add(TABLE_HANDLE, handle, 0, (uint32_t)device, 0, calls_library(call));
}

static void instantiated(const struct cuaudit_call *call)
{
	int device;
	uint64_t bytes = driver_graph_needs(calls_pointer(call, 1), &device);

	if (bytes == UINT64_MAX)
		gap_report(GAP_MEMORY, NULL, NULL);
	if (!bytes || bytes > CHARGE_MAX || device < 0 || device >= ACCOUNT_DEVICES)
		return;
	if (!table_add(TABLE_GRAPH, calls_handle(call),
		       charge_make((uint32_t)device, pool_of_graphs((uint32_t)device), false,
				   bytes), 0, 0))
		gap_report(GAP_MEMORY, NULL, NULL);
}

/* What it needed is what the graphs hold from here on. */
static void graph_used(const struct cuaudit_call *call)
{
	if (!call->scratch)
		return;
	if (cuaudit_call_succeeded(call) && charge_pool(call->scratch))
		pool_grown(charge_pool(call->scratch), true);
	account_keep(charge_device(call->scratch));
	charge_give(call->scratch);
}

void take_exit(struct cuaudit_call *call, enum limit_kind kind)
{
	switch (kind) {
	case LIMIT_GRAPH_USE:
		graph_used(call);
		break;
	case LIMIT_IMPORT:
		if (cuaudit_call_succeeded(call))
			imported(call);
		break;
	case LIMIT_INSTANTIATE:
		if (cuaudit_call_succeeded(call))
			instantiated(call);
		break;
	case LIMIT_MAP:
		if (call->scratch)
			share_mapped((struct block *)(uintptr_t)call->scratch, cuaudit_call_succeeded(call),
				     call->words[0], call->words[1]);
		break;
	case LIMIT_OPEN:
		if (cuaudit_call_succeeded(call))
			opened(call);
		break;
	case LIMIT_RETAIN:
		if (cuaudit_call_succeeded(call))
			share_retain(calls_handle(call), call->words[1]);
		break;
	default:
		took(call, kind);
	}
}
