/* SPDX-License-Identifier: Apache-2.0 */
/* Who called the function of the runtime that reports a call. Context: call. */
#ifndef HOOKS_RUNTIME_CALLER_H
#define HOOKS_RUNTIME_CALLER_H

#include <cuaudit/call.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/unwound.h"

struct runtime_caller {
	const void *address;	/* the return address of the runtime's function */
	uintptr_t cfa;		/* its canonical frame address; 0: not known */
};

/*
 * How far from data the return address and the end of the frame are: the same whenever that
 * call site reports a call of that function, which has all in its frame. Runtimes may have
 * one call site for all. Filled without a lock: `key` is 0 meanwhile.
 */
enum { RUNTIME_SITES = 2048 };	/* a power of two; a runtime has two for each function */

extern struct runtime_site {
	_Atomic uintptr_t key;
	_Atomic uint64_t where;	/* the generation; below, in 32 bits, the distances: of the end, then of the address, with a sign */
} runtime_sites[RUNTIME_SITES];

static inline struct runtime_site *runtime_site_of(uintptr_t key)
{
	return &runtime_sites[(key ^ key >> 11 ^ key >> 48) % RUNTIME_SITES];
}

/* 0: not known. */
static inline uint32_t runtime_distances(uintptr_t key)
{
	struct runtime_site *site = runtime_site_of(key);
	bool is = atomic_load_explicit(&site->key, memory_order_acquire) == key;
	uint64_t where = atomic_load_explicit(&site->where, memory_order_relaxed);

	/* Pairs with the fence of keep: who read what it writes sees that it has begun. */
	atomic_thread_fence(memory_order_acquire);
	return is && where >> 32 == *cuaudit_generation &&
	       atomic_load_explicit(&site->key, memory_order_relaxed) == key ? (uint32_t)where : 0;
}

/* By the unwinder: where there are no such distances. */
struct runtime_caller runtime_caller_find(const void *back, uintptr_t data, uintptr_t key);

/*
 * Of the function of that callback, where it reports by a call that returns to `back`. Addresses of code have
 * fewer than 48 bits.
 */
static inline uintptr_t runtime_caller_key(const void *back, uint32_t callback)
{
	return (uintptr_t)back ^ (uintptr_t)callback << 48;
}

/* By those distances from data, which is in its frame. */
static inline struct runtime_caller runtime_caller_at(const void *data, uint32_t distances)
{
	const char *from = data;
	const void *address = *(const void *const *)(from + (int16_t)(distances & UINT16_MAX));

	return (struct runtime_caller){ arch_plain_address(address), (uintptr_t)from + (distances >> 16) };
}

/* That function's caller; its address is back, where it is not found. */
static inline struct runtime_caller runtime_caller(const void *back, const void *data, uint32_t callback)
{
	uintptr_t key = runtime_caller_key(back, callback);
	uint32_t distances = runtime_distances(key);
	struct runtime_caller caller = { NULL, 0 };

	if (likely(distances))
		caller = runtime_caller_at(data, distances);
	/* Ours, where a hooked function ended in a jump to the runtime's. */
	if (unlikely(!caller.address || unwound_is_own(caller.address)))
		return runtime_caller_find(back, (uintptr_t)data, key);
	return caller;
}

#endif
