/* SPDX-License-Identifier: Apache-2.0 */
/* Small numbers for handles, the same for a handle throughout. */
#include "print/number.h"

enum { KIND_SHIFT = 56, PROBES = 64 };

/*
 * Whoever finds a key without its number gives it one: the thread that put it
 * there may be the one a signal handler asks from.
 */
static uint32_t numbered(struct numbers *numbers, uint32_t kind, _Atomic uint32_t *number)
{
	uint32_t found = atomic_load_explicit(number, memory_order_relaxed), mine;

	if (found)
		return found;
	mine = 1 + atomic_fetch_add_explicit(&numbers->next[kind], 1, memory_order_relaxed);
	if (atomic_compare_exchange_strong_explicit(number, &found, mine, memory_order_relaxed,
						    memory_order_relaxed))
		return mine;
	return found;
}

uint32_t number_of(struct numbers *numbers, uint32_t kind, uint64_t value)
{
	uint64_t key = (uint64_t)kind << KIND_SHIFT | value;
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40);

	if (value >> KIND_SHIFT)
		return 0;
	for (uint32_t i = 0; i < PROBES; i++, at++) {
		uint64_t found = 0;

		if (atomic_compare_exchange_strong_explicit(&numbers->slots[at % NUMBER_SLOTS].key,
							    &found, key, memory_order_relaxed,
							    memory_order_relaxed) || found == key)
			return numbered(numbers, kind, &numbers->slots[at % NUMBER_SLOTS].number);
	}
	return 0;
}
