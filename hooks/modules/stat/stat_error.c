/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors there were: the records of results, of each function and calling library. */
#include "hooks/modules/stat/stat_error.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <cuaudit/coverage.h>

#include "hooks/modules/stat/stat_store.h"

enum {
	PLACES = 4096,		/* a power of two */
	MOST = 2048,		/* records, so that a search ends */
	MOST_OF_FUNCTION = 64
};

/* Records by what they are of. One is published once it is whole, and stays. */
static struct cuaudit_stat_error *_Atomic places[PLACES];
static uint32_t taken;
static uint8_t of_function[CUAUDIT_SLOTS_MAX];

static bool is_of(const struct cuaudit_stat_error *record, const struct cuaudit_stat_cell *cell,
		  int32_t result)
{
	return record->slot == cell->slot && record->library == cell->library &&
	       record->result == result;
}

/* The record, or the free place for it. */
static struct cuaudit_stat_error *_Atomic *find(const struct cuaudit_stat_cell *cell,
						int32_t result)
{
	uint64_t sum = ((uint64_t)cell->library << 32 | (uint32_t)result) * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(((sum ^ cell->slot) * 0xc2b2ae3d27d4eb4fu) >> 32);

	for (;; at++) {
		struct cuaudit_stat_error *_Atomic *place = &places[at % PLACES];
		const struct cuaudit_stat_error *record =
			atomic_load_explicit(place, memory_order_acquire);

		if (!record || is_of(record, cell, result))
			return place;
	}
}

/* NULL: there are too many, or no memory. The report has them as others of the function. */
static struct cuaudit_stat_error *create(const struct cuaudit_stat_cell *cell, int32_t result)
{
	struct cuaudit_stat_error *_Atomic *place;
	struct cuaudit_stat_error *record;
	int error = errno;
	sigset_t saved;

	stat_lock(&saved);
	/* Another thread or a handler may have come between. */
	place = find(cell, result);
	record = atomic_load_explicit(place, memory_order_relaxed);
	if (!record && taken < MOST && of_function[cell->slot] < MOST_OF_FUNCTION)
		record = stat_store_take(sizeof(*record));
	if (record && !record->record.type) {
		record->slot = cell->slot;
		record->library = cell->library;
		record->result = result;
		taken++;
		of_function[cell->slot]++;
		stat_store_publish(record, CUAUDIT_STAT_ERROR);
		/* Pairs with find. */
		atomic_store_explicit(place, record, memory_order_release);
	}
	stat_unlock(&saved);
	errno = error;
	return record;
}

void stat_error(const struct cuaudit_stat_cell *cell, int32_t result)
{
	struct cuaudit_stat_error *record =
		atomic_load_explicit(find(cell, result), memory_order_acquire);

	if (!record)
		record = create(cell, result);
	if (record)
		__atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
}

void stat_error_forked(void)
{
	memset(places, 0, sizeof(places));
	memset(of_function, 0, sizeof(of_function));
	taken = 0;
}
