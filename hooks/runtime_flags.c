/* SPDX-License-Identifier: Apache-2.0 */
/* Which of its functions a runtime reports. */
#include "hooks/runtime_flags.h"

#include <cuaudit/hook.h>
#include <stdatomic.h>

#include "hooks/safe_read.h"

enum { PART = 64 };	/* flags that are read at once */

/*
 * The driver's array stays other tools' own: they set and clear its flags as if we were not
 * there, and what they have asked for is always known. Theirs is followed, ours is shown.
 */
static struct flags {
	_Atomic uint32_t *own;
	_Atomic(const uint32_t *) theirs;
	_Atomic uint32_t next;	/* to be looked at */
} tables[RUNTIME_TABLES];

static _Atomic bool wants[RUNTIME_FLAGS], all, stopped;

static void set(struct flags *flags, uint32_t callback, uint32_t their)
{
	bool wanted = !atomic_load_explicit(&stopped, memory_order_relaxed) &&
		      (atomic_load_explicit(&wants[callback], memory_order_relaxed) ||
		       atomic_load_explicit(&all, memory_order_relaxed));

	atomic_store_explicit(&flags->own[callback], their ? their : wanted, memory_order_relaxed);
}

/* Whose flags are known: `theirs` is written last. */
static const uint32_t *theirs_of(const struct flags *flags)
{
	return atomic_load_explicit(&flags->theirs, memory_order_acquire);
}

/* Of the driver that is calling; others may be unloaded by now. */
static uint32_t their_flag(const struct flags *flags, uint32_t callback)
{
	return __atomic_load_n(&theirs_of(flags)[callback], __ATOMIC_RELAXED);
}

static void update(struct flags *flags)
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
		const uint32_t *theirs = theirs_of(&tables[i]);
		uint32_t their;

		if (theirs && safe_read((uintptr_t)&theirs[callback], &their, sizeof(their)))
			set(&tables[i], callback, their);
	}
}

uint32_t *runtime_flags_give(uint32_t table, const uint32_t *theirs)
{
	struct flags *flags = &tables[table];
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
		update(&tables[i]);
}

void runtime_flags_set_all(void)
{
	if (!atomic_exchange_explicit(&all, true, memory_order_relaxed))
		runtime_flags_update();
}

void runtime_flags_look(uint32_t table)
{
	struct flags *flags = &tables[table];
	uint32_t next = atomic_load_explicit(&flags->next, memory_order_relaxed);

	if (!theirs_of(flags))
		return;
	set(flags, next % RUNTIME_FLAGS, their_flag(flags, next % RUNTIME_FLAGS));
	atomic_store_explicit(&flags->next, next + 1, memory_order_relaxed);
}

bool runtime_flags_asked(uint32_t table, uint64_t callback)
{
	/* A runtime that asked before us looks at the driver's own. */
	return callback >= RUNTIME_FLAGS || !theirs_of(&tables[table]) ||
	       their_flag(&tables[table], (uint32_t)callback);
}

void runtime_flags_stop(void)
{
	atomic_store_explicit(&stopped, true, memory_order_relaxed);
	runtime_flags_update();
}
