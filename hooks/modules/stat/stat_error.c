/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors there were: the records of results, of each function and call site. */
#include "hooks/modules/stat/stat_error.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <cuaudit/coverage.h>

#include "hooks/modules/stat/stat_store.h"

enum {
	PLACES = 8192,		/* a power of two */
	MOST = 4096,		/* records, so that a search ends */
	MOST_OF_FUNCTION = 64,
	/* The same of those with a call site: the others have room without it. */
	MOST_SITES = 3072,
	MOST_SITES_OF_FUNCTION = 128
};

/* Records by what they are of. One is published once it is whole, and stays. */
static struct cuaudit_stat_error *_Atomic places[PLACES];
static uint32_t taken, sites_taken;
static uint8_t of_function[CUAUDIT_SLOTS_MAX], sites_of_function[CUAUDIT_SLOTS_MAX];

/* What a record is of. */
struct key {
	const struct cuaudit_stat_cell *cell;
	uint64_t caller;	/* 0: any */
	int32_t result;
};

static bool is_of(const struct cuaudit_stat_error *record, const struct key *key)
{
	return record->slot == key->cell->slot && record->library == key->cell->library &&
	       record->result == key->result && record->own_caller == key->caller;
}

/* The record, or the free place for it. */
static struct cuaudit_stat_error *_Atomic *find(const struct key *key)
{
	uint64_t sum = ((uint64_t)key->cell->library << 32 | (uint32_t)key->result) *
		       0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(((sum ^ key->cell->slot ^ key->caller << 16) *
				  0xc2b2ae3d27d4eb4fu) >> 32);

	for (;; at++) {
		struct cuaudit_stat_error *_Atomic *place = &places[at % PLACES];
		const struct cuaudit_stat_error *record =
			atomic_load_explicit(place, memory_order_acquire);

		if (!record || is_of(record, key))
			return place;
	}
}

static bool has_room(const struct key *key)
{
	uint32_t slot = key->cell->slot;

	if (key->caller)
		return __atomic_load_n(&sites_taken, __ATOMIC_RELAXED) < MOST_SITES &&
		       __atomic_load_n(&sites_of_function[slot], __ATOMIC_RELAXED) <
			       MOST_SITES_OF_FUNCTION;
	return taken - sites_taken < MOST - MOST_SITES && of_function[slot] < MOST_OF_FUNCTION;
}

static void count_record(const struct key *key)
{
	taken++;
	if (!key->caller) {
		of_function[key->cell->slot]++;
		return;
	}
	__atomic_store_n(&sites_taken, sites_taken + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&sites_of_function[key->cell->slot],
			 (uint8_t)(sites_of_function[key->cell->slot] + 1), __ATOMIC_RELAXED);
}

/* NULL: there are too many, or no memory. The report has them as others of the function. */
static struct cuaudit_stat_error *create(const struct key *key)
{
	const struct cuaudit_library *library =
		(const struct cuaudit_library *)(uintptr_t)key->cell->own_library;
	struct cuaudit_stat_error *_Atomic *place;
	struct cuaudit_stat_error *record;
	int error = errno;
	sigset_t saved;

	stat_lock(&saved);
	/* Another thread or a handler may have come between. */
	place = find(key);
	record = atomic_load_explicit(place, memory_order_relaxed);
	if (!record && has_room(key))
		record = stat_store_take(sizeof(*record));
	if (record && !record->record.type) {
		record->slot = key->cell->slot;
		record->library = key->cell->library;
		record->result = key->result;
		record->own_caller = key->caller;
		if (key->caller)
			record->offset = key->caller - cuaudit_library_base(library);
		count_record(key);
		stat_store_publish(record, CUAUDIT_STAT_ERROR);
		/* Pairs with find. */
		atomic_store_explicit(place, record, memory_order_release);
	}
	stat_unlock(&saved);
	errno = error;
	return record;
}

static struct cuaudit_stat_error *record_of(const struct key *key)
{
	struct cuaudit_stat_error *record = atomic_load_explicit(find(key), memory_order_acquire);

	return record || (key->caller && !has_room(key)) ? record : create(key);
}

void stat_error(const struct cuaudit_stat_cell *cell, const void *caller, int32_t result)
{
	const struct cuaudit_library *library =
		(const struct cuaudit_library *)(uintptr_t)cell->own_library;
	/* Code of no library has no file. */
	struct key key = { cell, library->index ? (uintptr_t)caller : 0, result };
	struct cuaudit_stat_error *record = record_of(&key);

	if (!record && key.caller) {
		key.caller = 0;
		record = record_of(&key);
	}
	if (record)
		__atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
}

void stat_error_forked(void)
{
	memset(places, 0, sizeof(places));
	memset(of_function, 0, sizeof(of_function));
	memset(sites_of_function, 0, sizeof(sites_of_function));
	taken = sites_taken = 0;
}
