/* SPDX-License-Identifier: Apache-2.0 */
/* Which of its functions a runtime reports. Context: call. */
#ifndef HOOKS_RUNTIME_FLAGS_H
#define HOOKS_RUNTIME_FLAGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RUNTIME_FLAGS = 1024,	/* a runtime has so many, by callback; not 0: it reports the function */
	RUNTIME_TABLES = 4	/* copies of the driver */
};

/*
 * The driver's array stays other tools' own: they set and clear its flags as if we were not
 * there, and what they have asked for is always known. Theirs is followed, ours is shown.
 */
extern struct runtime_flags {
	_Atomic uint32_t *own;
	_Atomic(const uint32_t *) theirs;	/* written last: then they are known */
	_Atomic uint32_t next;	/* to be looked at */
} runtime_flags[RUNTIME_TABLES];

/* Whether a hook wants a function. */
void runtime_flags_want(uint32_t callback, bool wanted);

/*
 * The flags that runtimes of a driver look at instead of the driver's own, theirs: set
 * where either are wanted. NULL: there is no memory, or theirs cannot be read.
 */
uint32_t *runtime_flags_give(uint32_t table, const uint32_t *theirs);

/* Another tool may have changed its own. */
void runtime_flags_update(void);

/* Another tool may change its own at any time: all functions are reported from now on. */
void runtime_flags_set_all(void);

/* Looks at those that are due. */
enum { RUNTIME_FLAGS_AT_ONCE = 16 };
void runtime_flags_look(uint32_t table);

/* Whether some of the flags are to be looked at now, for what another tool has changed: now and then, in turn. */
static inline bool runtime_flags_due(uint32_t table)
{
	uint32_t next = atomic_load_explicit(&runtime_flags[table].next, memory_order_relaxed);

	atomic_store_explicit(&runtime_flags[table].next, next + 1, memory_order_relaxed);
	return next % RUNTIME_FLAGS_AT_ONCE == 0;
}

/* Whether another tool wants the function. */
static inline bool runtime_flags_asked(uint32_t table, uint64_t callback)
{
	const uint32_t *theirs = atomic_load_explicit(&runtime_flags[table].theirs, memory_order_acquire);

	/* A runtime that asked before us looks at the driver's own. */
	return callback >= RUNTIME_FLAGS || !theirs || __atomic_load_n(&theirs[callback], __ATOMIC_RELAXED);
}

/* From now on, the runtimes have what the driver has. */
void runtime_flags_stop(void);

#endif
