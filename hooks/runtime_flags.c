/* SPDX-License-Identifier: Apache-2.0 */
/* Which of its functions a runtime reports. */
#include "hooks/runtime_flags.h"

#include <cuaudit/hook.h>
#include <stdatomic.h>

#include "hooks/safe_read.h"

enum { PART = 64 };	/* flags that are read at once */

struct runtime_flags runtime_flags[RUNTIME_TABLES];

static _Atomic bool wants[RUNTIME_FLAGS], all, stopped;

static inline void set(struct runtime_flags *flags, uint32_t callback, uint32_t their)
{
	bool wanted = !atomic_load_explicit(&stopped, memory_order_relaxed) &&
		      (atomic_load_explicit(&wants[callback], memory_order_relaxed) ||
		       atomic_load_explicit(&all, memory_order_relaxed));

	atomic_store_explicit(&flags->own[callback], their ? their : wanted, memory_order_relaxed);
}

/* Whose flags are known: `theirs` is written last. */
static const uint32_t *theirs_of(const struct runtime_flags *flags)
{
	return atomic_load_explicit(&flags->theirs, memory_order_acquire);
}

/* Of the driver that is calling; others may be unloaded by now. */
static uint32_t their_flag(const struct runtime_flags *flags, uint32_t callback)
{
	return __atomic_load_n(&theirs_of(flags)[callback], __ATOMIC_RELAXED);
}

static void update(struct runtime_flags *flags)
{
	const uint32_t *theirs = theirs_of(flags);
	uint32_t words[PART];

	for (uint32_t i = 0; theirs && i < RUNTIME_FLAGS; i += PART) {
		if (!safe_read((uintptr_t)&theirs[i], words, sizeof(words)))
			return;
		for (uint32_t k = 0; k < PART; k++)
			set(flags, i + k, words[k]);
	}
}

void runtime_flags_want(uint32_t callback, bool wanted)
{
	atomic_store_explicit(&wants[callback], wanted, memory_order_relaxed);
	for (uint32_t i = 0; i < RUNTIME_TABLES; i++) {
		const uint32_t *theirs = theirs_of(&runtime_flags[i]);
		uint32_t their;

		if (theirs && safe_read((uintptr_t)&theirs[callback], &their, sizeof(their)))
			set(&runtime_flags[i], callback, their);
	}
}

uint32_t *runtime_flags_give(uint32_t table, const uint32_t *theirs)
{
	struct runtime_flags *flags = &runtime_flags[table];
	uint32_t words[PART];

	for (uint32_t i = 0; i < RUNTIME_FLAGS; i += PART)
		if (!safe_read((uintptr_t)&theirs[i], words, sizeof(words)))
			return NULL;
	if (!flags->own)
		flags->own = cuaudit_pages(RUNTIME_FLAGS * sizeof(*flags->own));
	if (!flags->own)
		return NULL;
	atomic_store_explicit(&flags->theirs, theirs, memory_order_release);
	update(flags);
	return (uint32_t *)flags->own;
}

void runtime_flags_update(void)
{
	for (uint32_t i = 0; i < RUNTIME_TABLES; i++)
		update(&runtime_flags[i]);
}

void runtime_flags_set_all(void)
{
	if (!atomic_exchange_explicit(&all, true, memory_order_relaxed))
		runtime_flags_update();
}

void runtime_flags_look(uint32_t table)
{
	struct runtime_flags *flags = &runtime_flags[table];
	uint32_t behind = atomic_load_explicit(&flags->next, memory_order_relaxed);
	uint32_t first = (behind - 1) / RUNTIME_FLAGS_AT_ONCE * RUNTIME_FLAGS_AT_ONCE % RUNTIME_FLAGS;

	if (!theirs_of(flags))
		return;
	for (uint32_t i = first; i < first + RUNTIME_FLAGS_AT_ONCE; i++)
		set(flags, i, their_flag(flags, i));
}

void runtime_flags_stop(void)
{
	atomic_store_explicit(&stopped, true, memory_order_relaxed);
	runtime_flags_update();
}
