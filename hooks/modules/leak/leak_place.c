/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory is a device's: by its properties, or by the pool that it is from. */
#include "hooks/modules/leak/leak_place.h"

#include <stdatomic.h>

#include <cuaudit/cuda_types.h>

#include "hooks/modules/leak/leak_rule.h"

enum { HOST_POOLS = 64 };	/* what comes from further ones is counted as a device's */

static _Atomic uint64_t host_pools[HOST_POOLS];	/* 0: none */

static bool is_host_pool(uint64_t pool)
{
	for (uint32_t i = 0; pool && i < HOST_POOLS; i++)
		if (atomic_load_explicit(&host_pools[i], memory_order_relaxed) == pool)
			return true;
	return false;
}

static bool is_device(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint64_t word = rule->place == LEAK_PLACE_NONE ? 0 : call->words[rule->place_word];
	const void *at = (const void *)(uintptr_t)word;
	CUmemLocationType type = CU_MEM_LOCATION_TYPE_DEVICE;

	if (rule->place == LEAK_PLACE_POOL)
		return !is_host_pool(word);
	if (at && rule->place == LEAK_PLACE_LOCATION)
		type = ((const CUmemLocation *)at)->type;
	else if (at && rule->place == LEAK_PLACE_PROPERTIES)
		type = ((const CUmemAllocationProp *)at)->location.type;
	else if (at && rule->place == LEAK_PLACE_POOL_PROPERTIES)
		type = ((const CUmemPoolProps *)at)->location.type;
	return type == CU_MEM_LOCATION_TYPE_DEVICE;
}

bool leak_place_is_counted(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	/* A multicast object is over memory that is counted. */
	return rule->size != LEAK_SIZE_MULTICAST && is_device(call, rule);
}

void leak_place_pool(const struct cuaudit_call *call, const struct leak_rule *rule, uint64_t pool)
{
	bool device = is_device(call, rule);

	/* A pool of a device may have the handle of one that was the host's. */
	if (device)
		for (uint32_t i = 0; i < HOST_POOLS; i++) {
			uint64_t its = pool;

			atomic_compare_exchange_strong(&host_pools[i], &its, 0);
		}
	else if (!is_host_pool(pool))
		for (uint32_t i = 0; i < HOST_POOLS; i++) {
			uint64_t none = 0;

			if (atomic_compare_exchange_strong(&host_pools[i], &none, pool))
				return;
		}
}
