/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of calls that a hook of the core's own only counts, by function, caller and thread. Context: call. */
#ifndef HOOKS_CELL_H
#define HOOKS_CELL_H

#include <cuaudit/stat.h>
#include <stdint.h>

/* Where a thread has them: the block of the key holds, from `last` bytes on, the cell used last for each slot. */
struct cells {
	uint32_t key, last;
};

/*
 * Each cell has one writer, its thread; others may read it at any time, and
 * aligned words never tear. A signal handler that calls the driver while its
 * thread is in here writes to the same cell: one instruction a field keeps
 * both additions. Where there is no such instruction, one of them may be lost.
 */
static inline void cell_add(uint64_t *word, uint64_t value)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*word) : "er"(value));
#else
	*word += value;
#endif
}

/* The one for a call like the last of its thread and function; NULL: it has another caller, or libraries changed. */
static inline struct cuaudit_stat_cell *cell_used(const struct cells *cells, void *const *blocks, uint32_t slot,
						  const void *caller, uint32_t generation)
{
	const char *block = blocks[cells->key];
	struct cuaudit_stat_cell *cell;

	if (__builtin_expect(!block, 0))
		return NULL;
	cell = ((struct cuaudit_stat_cell *const *)(block + cells->last))[slot];
	return __builtin_expect(cell && cell->own_caller == (uintptr_t)caller &&
				cell->own_generation == generation, 1) ? cell : NULL;
}

#endif
