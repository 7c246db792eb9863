/* SPDX-License-Identifier: Apache-2.0 */
/* What of ranges could not be followed. */
#include "hooks/range_loss.h"

#include <stdatomic.h>

static _Atomic uint64_t losses[CUAUDIT_RANGE_LOSSES];

void range_lose(enum cuaudit_range_loss why)
{
	atomic_fetch_add_explicit(&losses[why], 1, memory_order_relaxed);
}

uint64_t cuaudit_range_lost(enum cuaudit_range_loss why)
{
	return why < CUAUDIT_RANGE_LOSSES ? atomic_load_explicit(&losses[why], memory_order_relaxed) : 0;
}

void range_loss_forked(void)
{
	for (uint32_t i = 0; i < CUAUDIT_RANGE_LOSSES; i++)
		atomic_store_explicit(&losses[i], 0, memory_order_relaxed);
}
