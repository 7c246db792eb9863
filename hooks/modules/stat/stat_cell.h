/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of the stat hook: one for each function, calling library and thread. */
#ifndef HOOKS_MODULES_STAT_STAT_CELL_H
#define HOOKS_MODULES_STAT_STAT_CELL_H

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/stat.h>

#include "hooks/cell.h"
#include "hooks/modules/stat/stat_error.h"

/* The thread's block. Cells of one slot form a ring through own_next. */
struct stat_thread {
	struct cuaudit_stat_thread *record;	/* NULL: no call yet */
	struct cuaudit_stat_cell *cells;	/* all, by own_thread */
	struct cuaudit_stat_cell *last[CUAUDIT_SLOTS_MAX];	/* the one used last */
};

enum { STAT_NEVER = -1 };	/* no result of a driver */

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
	const struct cells cells = { stat_cell_key, offsetof(struct stat_thread, last) };

	return cell_used(&cells, call->blocks, call->function->slot, call->caller, *cuaudit_generation);
}

/*
 * As cell_add, of a field of a cell. squares, min, max and the bucket take several instructions: what a handler
 * did to that one field between them is lost.
 */
static inline void stat_cell_add(uint64_t *word, uint64_t value)
{
	cell_add(word, value);
}

/*
 * Context: call. What an exit hook does with the time; data: the result that
 * is no error, as a number. stat_fast_path_x86_64.S does the same for most calls.
 */
static inline void stat_cell_record(struct cuaudit_stat_cell *cell, const void *caller,
				    uint64_t ticks, int32_t result, const void *data)
{
	uint32_t *bucket;

	/* The counter of another processor may be a little behind. */
	if (__builtin_expect((int64_t)ticks < 0, 0))
		ticks = 0;
	stat_cell_add(&cell->calls, 1);
	if (__builtin_expect(result != 0, 0))
		stat_cell_add(result == (int32_t)(intptr_t)data ? &cell->not_ready : &cell->errors, 1);
	stat_cell_add(&cell->total, ticks);
	cell->squares += (double)(int64_t)ticks * (double)(int64_t)ticks;
	if (__builtin_expect(ticks < cell->min, 0))
		cell->min = ticks;
	if (__builtin_expect(ticks > cell->max, 0))
		cell->max = ticks;
	bucket = &cell->buckets[cuaudit_stat_bucket(ticks)];
	if (__builtin_expect(!++*bucket, 0))
		*bucket = UINT32_MAX;
	/* Last, so that no register is saved. */
	if (__builtin_expect(result != 0, 0) && result != (int32_t)(intptr_t)data)
		stat_error(cell, caller, result);
}

/* Context: call. Adds the thread's cells to those of the ended threads. */
void stat_cell_thread_exit(struct stat_thread *thread);

/* Context: call, in the child of fork, after stat_store_forked. */
void stat_cell_forked(void);

#endif
