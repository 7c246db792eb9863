/* SPDX-License-Identifier: Apache-2.0 */
/* Which of its functions a runtime reports. Context: call. */
#ifndef HOOKS_RUNTIME_FLAGS_H
#define HOOKS_RUNTIME_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RUNTIME_FLAGS = 1024,	/* a runtime has so many, by callback; not 0: it reports the function */
	RUNTIME_TABLES = 4	/* copies of the driver */
};

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

/* Looks at one of the flags, in turn, for what another tool has changed. */
void runtime_flags_look(uint32_t table);

/* Whether another tool wants the function. */
bool runtime_flags_asked(uint32_t table, uint64_t callback);

/* From now on, the runtimes have what the driver has. */
void runtime_flags_stop(void);

#endif
