/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of the stat hook: one for each function, calling library and thread. */
#ifndef HOOKS_MODULES_STAT_CELL_H
#define HOOKS_MODULES_STAT_CELL_H

#include <cuaudit/hook.h>
#include <cuaudit/stat.h>

enum { STAT_SLOTS = 4096 };

/* The thread's block. Cells of one slot form a ring through own_next. */
struct stat_thread {
	struct cuaudit_stat_thread *record;	/* NULL: no call yet */
	struct cuaudit_stat_cell *cells;	/* all, by own_thread */
	struct cuaudit_stat_cell *last[STAT_SLOTS];	/* the one used last */
};

extern uint32_t stat_cell_key;

/* Context: setup. timed: cells with times; threads: ended ones to keep by name. */
int stat_cell_setup(const struct cuaudit_module *owner, int timed, uint32_t threads);

/* Context: call. The slow part of stat_cell. */
struct cuaudit_stat_cell *stat_cell_find(const struct cuaudit_function *function,
					 const struct cuaudit_library *library);

/* Context: call. The calling thread's cell for call; NULL: counted as lost. */
static inline struct cuaudit_stat_cell *stat_cell(const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = cuaudit_call_library(call);
	const struct cuaudit_function *function = call->function;
	const struct stat_thread *thread = call->blocks[stat_cell_key];
	struct cuaudit_stat_cell *cell;

	if (__builtin_expect(thread && function->slot < STAT_SLOTS, 1)) {
		cell = thread->last[function->slot];
		if (__builtin_expect(cell && cell->own_library == (uintptr_t)library, 1))
			return cell;
	}
	return stat_cell_find(function, library);
}

/* Context: call. Adds the thread's cells to those of the ended threads. */
void stat_cell_thread_exit(struct stat_thread *thread);

/* Context: call, in the child of fork, after stat_store_forked. */
void stat_cell_forked(void);

#endif
