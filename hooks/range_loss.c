/* SPDX-License-Identifier: Apache-2.0 */
/* What of ranges could not be followed. */
#include "hooks/range_loss.h"

#include <stdatomic.h>

#include "hooks/unseen.h"

static _Atomic uint64_t losses[CUAUDIT_RANGE_LOSSES];

static _Atomic(_Atomic uint32_t *) told;	/* where they are told ... */
static uint32_t told_bit, told_mask;		/* ... how, and which */

static void tell(uint32_t why)
{
	_Atomic uint32_t *word = atomic_load_explicit(&told, memory_order_acquire);

	if (word && told_mask >> why & 1)
		atomic_fetch_or_explicit(word, told_bit, memory_order_relaxed);
}

void unseen_tell_ranges(_Atomic uint32_t *word, uint32_t bit, uint32_t mask)
{
	told_bit = bit;
	told_mask = mask;
	atomic_store_explicit(&told, word, memory_order_release);
	for (uint32_t why = 0; why < CUAUDIT_RANGE_LOSSES; why++)
		if (cuaudit_range_lost(why))
			tell(why);
}

void range_lose(enum cuaudit_range_loss why)
{
	atomic_fetch_add_explicit(&losses[why], 1, memory_order_relaxed);
	tell(why);
}

void range_lose_text(void)
{
	_Atomic uint32_t *word = atomic_load_explicit(&told, memory_order_acquire);

	if (word)
		atomic_fetch_or_explicit(word, told_bit, memory_order_relaxed);
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
