/* SPDX-License-Identifier: Apache-2.0 */
/* From the counts of several runs to the bounds of a lock file. */
#include <errno.h>

#include "analysis/baseline.h"
#include "analysis/baseline_route.h"

/*
 * Five runs do not show the lowest and the highest count that there can be. So bounds leave
 * SPREADS times what lies between the two on both sides, an 1/SHARE of the highest count, as a few
 * runs may happen to be close to each other, or LEAST, of which small counts vary at any time.
 */
enum { SPREADS = 3, SHARE = 8, LEAST = 2 };

/* Counts that are so high at times, and TIMES lower at others, have no bounds that say much. */
enum { WILD = 16, TIMES = 4 };

static uint64_t width(uint64_t low, uint64_t high)
{
	uint64_t most;

	if (__builtin_mul_overflow(high - low, (uint64_t)SPREADS, &most))
		most = UINT64_MAX;
	if (most < high / SHARE)
		most = high / SHARE;
	return most < LEAST ? LEAST : most;
}

static void bound(struct baseline_fact *fact, uint64_t low, uint64_t high)
{
	uint64_t more = width(low, high);

	fact->any = high >= WILD && low <= (high - 1) / TIMES;
	fact->low = low;
	fact->high = high;
	if (fact->any || low == high)
		return;
	fact->low = low > more ? low - more : 0;
	if (__builtin_add_overflow(high, more, &fact->high))
		fact->high = UINT64_MAX;
}

static bool admits(const struct baseline_fact *fact, uint64_t low, uint64_t high)
{
	return fact->any || (fact->low <= low && fact->high >= high);
}

/* A route counts where its function is called; one of several may be in some runs alone. */
static void change_route(struct baseline_fact *fact, const struct baseline_runs *runs,
			 const struct baseline_seen *seen, const char *key)
{
	if (!admits(fact, 1, 1))
		fact->low = fact->high = 1;
	if (seen->runs < runs->count && baseline_has_other_route(&runs->seen, key))
		fact->any = true;
}

/* A count that varies may be where it was again; one that is another one now is meant to be. */
static void change(struct baseline_fact *fact, uint64_t low, uint64_t high)
{
	struct baseline_fact before = *fact;

	bound(fact, low, high);
	if (before.low == before.high || fact->any)
		return;
	if (before.low < fact->low)
		fact->low = before.low;
	if (before.high > fact->high)
		fact->high = before.high;
}

void baseline_run_free(struct baseline_run *run)
{
	table_free(&run->counts);
	table_free(&run->traces);
	*run = BASELINE_RUN;
}

int baseline_runs_add(struct baseline_runs *runs, const struct baseline_run *run)
{
	const struct table *counts = &run->counts;

	for (uint32_t i = 0; i < counts->count; i++) {
		const struct table_key *key = &counts->keys[i];
		uint32_t number = table_find(&runs->seen, key->bytes, key->size);
		uint64_t count = *(uint64_t *)table_row(counts, i);
		struct baseline_seen *seen;

		if (number == TABLE_NONE)
			return -ENOMEM;
		seen = table_row(&runs->seen, number);
		if (!seen->runs || count < seen->low)
			seen->low = count;
		if (count > seen->high)
			seen->high = count;
		seen->runs++;
	}
	runs->count++;
	if (run->driver > runs->driver)
		runs->driver = run->driver;
	return 0;
}

void baseline_runs_free(struct baseline_runs *runs)
{
	table_free(&runs->seen);
	*runs = BASELINE_RUNS;
}

/* A function that may be called again may be bound as it was. */
static void keep_route(const struct baseline_lock *lock, const struct baseline_runs *runs,
		       uint32_t number)
{
	struct baseline_fact *fact = table_row(&lock->facts, number);
	const char *key = lock->facts.keys[number].bytes;

	if (fact->met || !baseline_is_route(key) || baseline_has_other_route(&runs->seen, key))
		return;
	fact->gone = !baseline_has_calls(lock, key);
}

int baseline_update(struct baseline_lock *lock, const struct baseline_runs *runs)
{
	const struct table *all = &runs->seen;

	for (uint32_t i = 0; i < all->count; i++) {
		const struct baseline_seen *seen = table_row(all, i);
		uint64_t low = seen->runs < runs->count ? 0 : seen->low;
		uint32_t before = lock->facts.count;
		uint32_t number = table_find(&lock->facts, all->keys[i].bytes, all->keys[i].size);
		struct baseline_fact *fact;

		if (number == TABLE_NONE)
			return -ENOMEM;
		fact = table_row(&lock->facts, number);
		fact->met = true;
		if (baseline_is_route(all->keys[i].bytes))
			change_route(fact, runs, seen, all->keys[i].bytes);
		else if (number == before)
			bound(fact, low, seen->high);
		else if (!admits(fact, low, seen->high))
			change(fact, low, seen->high);
	}
	for (uint32_t i = 0; i < lock->facts.count; i++) {
		struct baseline_fact *fact = table_row(&lock->facts, i);

		fact->gone = !fact->met && !admits(fact, 0, 0);
	}
	for (uint32_t i = 0; i < lock->facts.count; i++)
		keep_route(lock, runs, i);
	return 0;
}

struct baseline_totals baseline_totals(const struct baseline_lock *lock)
{
	struct baseline_totals totals = { 0 };

	for (uint32_t i = 0; i < lock->facts.count; i++) {
		const struct baseline_fact *fact = table_row(&lock->facts, i);

		totals.facts += !fact->gone;
		totals.any += !fact->gone && fact->any;
		totals.exact += !fact->gone && !fact->any && fact->low == fact->high;
	}
	return totals;
}
