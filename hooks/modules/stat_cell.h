/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of the stat hook: one for each function, calling library and thread. */
#ifndef HOOKS_MODULES_STAT_CELL_H
#define HOOKS_MODULES_STAT_CELL_H

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/stat.h>

/* The thread's block. Cells of one slot form a ring through own_next. */
struct stat_thread {
	struct cuaudit_stat_thread *record;	/* NULL: no call yet */
	struct cuaudit_stat_cell *cells;	/* all, by own_thread */
	struct cuaudit_stat_cell *last[CUAUDIT_SLOTS_MAX];	/* the one used last */
};

extern uint32_t stat_cell_key;

/* Context: setup. timed: cells with times; threads: ended ones to keep by name. */
int stat_cell_setup(const struct cuaudit_module *owner, int timed, uint32_t threads);

/*
 * Context: call. The slow part of stat_cell: by the library the call came
 * from. NULL: out of memory, and counted as lost.
 */
struct cuaudit_stat_cell *stat_cell_find(const struct cuaudit_call *call);

/*
 * Context: call. The calling thread's cell for call, NULL: stat_cell_find knows.
 * While no object comes or goes, the same return address is the same library.
 */
static inline struct cuaudit_stat_cell *stat_cell(const struct cuaudit_call *call)
{
	const struct stat_thread *thread = call->blocks[stat_cell_key];
	uint32_t slot = call->function->slot;
	struct cuaudit_stat_cell *cell;

	if (__builtin_expect(thread != NULL, 1)) {
		cell = thread->last[slot];
		if (__builtin_expect(cell && cell->own_caller == (uintptr_t)call->caller &&
				     cell->own_generation == *cuaudit_generation, 1))
			return cell;
	}
	return NULL;
}

/* Context: call. Adds the thread's cells to those of the ended threads. */
void stat_cell_thread_exit(struct stat_thread *thread);

/* Context: call, in the child of fork, after stat_store_forked. */
void stat_cell_forked(void);

#endif
