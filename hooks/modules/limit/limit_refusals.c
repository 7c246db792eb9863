/* SPDX-License-Identifier: Apache-2.0 */
/* Which call sites were refused memory, the first refused first. */
#include "hooks/modules/limit/limit_refusals.h"

#include <string.h>

enum { MOST = 64 };

/*
 * Filled without a lock: one is claimed, written, then shown by `ready`. Two threads that are
 * refused at one new call site at once may each write it; readers add equal ones up.
 */
static struct refusal refusals[MOST];
static _Atomic uint32_t claimed;
static _Atomic uint64_t others;

static bool is_ready(const struct refusal *refusal)
{
	/* Pairs with refusals_count. */
	return atomic_load_explicit(&refusal->ready, memory_order_acquire);
}

static bool same(const struct refusal *refusal, const struct cuaudit_function *function,
		 const void *caller)
{
	return is_ready(refusal) && refusal->function == function && refusal->caller == caller;
}

void refusals_count(const struct cuaudit_call *call, uint64_t bytes)
{
	struct refusal *refusal = refusals;
	uint32_t at;

	for (; refusal < refusals + MOST; refusal++) {
		if (same(refusal, call->function, call->caller)) {
			atomic_fetch_add_explicit(&refusal->count, 1, memory_order_relaxed);
			return;
		}
	}
	at = atomic_load_explicit(&claimed, memory_order_relaxed);
	do {
		if (at >= MOST) {
			atomic_fetch_add_explicit(&others, 1, memory_order_relaxed);
			return;
		}
	} while (!atomic_compare_exchange_weak(&claimed, &at, at + 1));
	refusal = &refusals[at];
	refusal->function = call->function;
	refusal->library = cuaudit_call_library(call);
	refusal->caller = call->caller;
	refusal->bytes = bytes;
	atomic_store_explicit(&refusal->count, 1, memory_order_relaxed);
	atomic_store_explicit(&refusal->ready, true, memory_order_release);
}

/* Whether an earlier one is of the same call site, with which it was given. */
static bool is_repeated(uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (same(&refusals[i], refusals[index].function, refusals[index].caller))
			return true;
	return false;
}

const struct refusal *refusals_get(uint32_t *index, uint64_t *count)
{
	const struct refusal *refusal;

	while (*index < MOST && (!is_ready(&refusals[*index]) || is_repeated(*index)))
		++*index;
	if (*index >= MOST)
		return NULL;
	refusal = &refusals[(*index)++];
	*count = 0;
	for (uint32_t i = 0; i < MOST; i++)
		if (same(&refusals[i], refusal->function, refusal->caller))
			*count += refusals[i].count;
	return refusal;
}

uint64_t refusals_others(void)
{
	return others;
}

void refusals_forked(void)
{
	memset(refusals, 0, sizeof(refusals));
	claimed = 0;
	others = 0;
}
