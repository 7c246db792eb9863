/* SPDX-License-Identifier: Apache-2.0 */
/* What memory pools hold, beyond what was allocated from them too. */
/*
 * A pool is charged for what is allocated from it (used, before the driver is
 * asked) and for what it keeps after frees or takes in larger pieces (spare).
 * Under its lock used + spare is never less than what the driver says it
 * holds, so that spare may shrink to the difference at any time.
 */
#include "hooks/modules/limit/limit_pool.h"

#include <stddef.h>
#include <string.h>

#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_spin.h"

enum { ON_HOST = ACCOUNT_DEVICES };

static struct pool {
	struct spin lock;
	_Atomic(CUmemoryPool) handle;	/* NULL: unused, destroyed, or graphs' */
	_Atomic uint32_t state;
	uint32_t device;
	uint32_t trims;		/* threads that have the driver trim it */
	uint64_t used;
	uint64_t spare;
} __attribute__((aligned(64))) pools[POOLS];	/* number 0 is none */

enum { UNUSED, LIVE, DESTROYED, GRAPHS };

static struct spin lock;	/* to make one */

static uint32_t search(CUmemoryPool handle)
{
	for (uint32_t i = 1; i < POOLS; i++)
		if (atomic_load_explicit(&pools[i].handle, memory_order_acquire) == handle)
			return i;
	return 0;
}

/* Under the lock. */
static uint32_t make(CUmemoryPool handle, uint32_t device, uint32_t state)
{
	for (uint32_t i = 1; i < POOLS; i++) {
		struct pool *pool = &pools[i];

		if (atomic_load_explicit(&pool->state, memory_order_acquire) != UNUSED)
			continue;
		pool->device = device;
		pool->used = pool->spare = 0;
		atomic_store_explicit(&pool->state, state, memory_order_release);
		/* Pairs with search. */
		atomic_store_explicit(&pool->handle, handle, memory_order_release);
		return i;
	}
	return 0;
}

static uint32_t counted(uint32_t number)
{
	return number && pools[number].device == ON_HOST ? POOL_ON_HOST : number;
}

uint32_t pool_find(CUmemoryPool handle, int device)
{
	uint32_t number = handle ? search(handle) : 0;
	struct spin_saved saved;

	if (number || !handle || device < 0 || device >= ACCOUNT_DEVICES)
		return counted(number);
	/* What the driver does not know is no pool, and is not asked about later. */
	if (!driver_pool_is(handle))
		return 0;
	for (int other = 0; other < ACCOUNT_DEVICES && !driver_is_default(handle, device); other++)
		if (driver_is_default(handle, other))
			device = other;
	spin_lock(&lock, &saved);
	number = search(handle);
	if (!number)
		number = make(handle, (uint32_t)device, LIVE);
	spin_unlock(&lock, &saved);
	if (!number)
		gap_report(GAP_POOLS, NULL, NULL);
	return counted(number);
}

uint32_t pool_of_graphs(uint32_t device)
{
	struct spin_saved saved;
	uint32_t number = 0;

	spin_lock(&lock, &saved);
	for (uint32_t i = 1; i < POOLS && !number; i++)
		if (pools[i].state == GRAPHS && pools[i].device == device)
			number = i;
	if (!number)
		number = make(NULL, device, GRAPHS);
	spin_unlock(&lock, &saved);
	if (!number)
		gap_report(GAP_POOLS, NULL, NULL);
	return number;
}

void pool_create(CUmemoryPool handle, int device)
{
	struct spin_saved saved;
	uint32_t number;

	spin_lock(&lock, &saved);
	number = make(handle, device >= 0 && device < ACCOUNT_DEVICES ? (uint32_t)device : ON_HOST,
		      LIVE);
	spin_unlock(&lock, &saved);
	if (!number)
		gap_report(GAP_POOLS, NULL, NULL);
}

uint32_t pool_device(uint32_t number)
{
	return pools[number].device;
}

static uint64_t holds(const struct pool *pool)
{
	switch (atomic_load_explicit(&pool->state, memory_order_relaxed)) {
	case LIVE:
		return pool->handle ? driver_pool_holds(pool->handle) : pool->used + pool->spare;
	case GRAPHS:
		return driver_graphs_hold((CUdevice)pool->device);
	default:
		return 0;
	}
}

/* Under the pool's lock, which keeps others from destroying it. */
static void shrink(struct pool *pool, uint64_t held)
{
	uint64_t spare = held > pool->used ? held - pool->used : 0;

	if (pool->spare > spare) {
		if (pool->device < ACCOUNT_DEVICES)
			account_give(pool->device, pool->spare - spare, false);
		pool->spare = spare;
	}
	if (pool->state == DESTROYED && !pool->used)
		atomic_store_explicit(&pool->state, UNUSED, memory_order_release);
}

struct account *pool_take(uint32_t number, uint64_t bytes, bool force)
{
	struct pool *pool = &pools[number];
	struct spin_saved saved;
	struct account *refuses = NULL;
	uint64_t spare;

	spin_lock(&pool->lock, &saved);
	spare = pool->spare < bytes ? pool->spare : bytes;
	if (bytes > spare)
		refuses = account_take(pool->device, bytes - spare, false, force);
	if (!refuses) {
		pool->spare -= spare;
		pool->used += bytes;
	}
	spin_unlock(&pool->lock, &saved);
	return refuses;
}

void pool_give(uint32_t number, uint64_t bytes)
{
	struct pool *pool = &pools[number];
	struct spin_saved saved;

	spin_lock(&pool->lock, &saved);
	pool->used -= bytes;
	pool->spare += bytes;
	shrink(pool, holds(pool));
	spin_unlock(&pool->lock, &saved);
}

struct account *pool_grown(uint32_t number, bool force)
{
	struct pool *pool = &pools[number];
	struct spin_saved saved;
	struct account *refuses = NULL;
	uint64_t held, more;

	spin_lock(&pool->lock, &saved);
	held = holds(pool);
	if (held > pool->used + pool->spare) {
		more = held - pool->used - pool->spare;
		refuses = account_take(pool->device, more, false, force);
		if (!refuses)
			pool->spare += more;
	} else {
		shrink(pool, held);
	}
	spin_unlock(&pool->lock, &saved);
	return refuses;
}

/*
 * May take its time: not under the lock, but with signals blocked still, so
 * that no handler leaves it by siglongjmp. It is not destroyed meanwhile.
 */
static void trim_one(struct pool *pool)
{
	CUmemoryPool handle = pool->handle;

	if (pool->state == LIVE && !handle)
		return;
	pool->trims++;
	atomic_flag_clear_explicit(&pool->lock.taken, memory_order_release);
	if (pool->state == LIVE)
		driver_pool_trim(handle);
	else
		driver_graphs_trim((CUdevice)pool->device);
	spin_take(&pool->lock);
	pool->trims--;
}

void pool_settle(bool trim)
{
	for (uint32_t i = 1; i < POOLS; i++) {
		struct pool *pool = &pools[i];
		struct spin_saved saved;

		if (pool->state == UNUSED)
			continue;
		spin_lock(&pool->lock, &saved);
		if (trim && (pool->state == LIVE || pool->state == GRAPHS))
			trim_one(pool);
		shrink(pool, holds(pool));
		spin_unlock(&pool->lock, &saved);
	}
}

/* From here on its number is in the charges of what was allocated from it alone. */
uint32_t pool_leave(CUmemoryPool handle)
{
	uint32_t number = handle ? search(handle) : 0;
	struct pool *pool = &pools[number];
	CUmemoryPool expected = handle;
	struct spin_saved saved;

	if (!number)
		return 0;
	spin_lock(&pool->lock, &saved);
	if (!atomic_compare_exchange_strong(&pool->handle, &expected, NULL))
		number = 0;
	while (number && pool->trims) {
		spin_unlock(&pool->lock, &saved);
		sched_yield();
		spin_lock(&pool->lock, &saved);
	}
	spin_unlock(&pool->lock, &saved);
	return number;
}

void pool_left(uint32_t number, CUmemoryPool handle, bool destroyed)
{
	struct pool *pool = &pools[number];
	struct spin_saved saved;

	if (!destroyed) {
		atomic_store(&pool->handle, handle);
		return;
	}
	spin_lock(&pool->lock, &saved);
	pool->state = DESTROYED;
	shrink(pool, 0);
	spin_unlock(&pool->lock, &saved);
}

bool pool_is_empty(uint32_t number)
{
	struct pool *pool = &pools[number];
	struct spin_saved saved;
	uint64_t held;

	spin_lock(&pool->lock, &saved);
	held = holds(pool);
	spin_unlock(&pool->lock, &saved);
	return !held;
}

uint64_t pool_spare(uint32_t device)
{
	uint64_t spare = 0;

	for (uint32_t i = 1; i < POOLS; i++)
		if (pools[i].device == device && pools[i].state != UNUSED)
			spare += pools[i].spare;
	return spare;
}

void pool_forked(void)
{
	memset(pools, 0, sizeof(pools));
	spin_forked(&lock);
}
