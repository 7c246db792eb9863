/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of the stat hook: one for each function, calling library and thread. */
#include "hooks/modules/stat/stat_cell.h"

#include <stdatomic.h>
#include <string.h>

#include "hooks/modules/stat/stat_coverage.h"
#include "hooks/modules/stat/stat_store.h"
#include "hooks/modules/stat/stat_thread.h"

uint32_t stat_cell_key;

static uint32_t cell_size;
static struct stat_thread ended;	/* thread 0 */
static struct cuaudit_stat_cell *free_cells;

static struct cuaudit_stat_cell *next(const struct cuaudit_stat_cell *cell)
{
	return (struct cuaudit_stat_cell *)(uintptr_t)cell->own_next;
}

static struct cuaudit_stat_cell *next_of_thread(const struct cuaudit_stat_cell *cell)
{
	return (struct cuaudit_stat_cell *)(uintptr_t)cell->own_thread;
}

/* A handler may change the ring's start meanwhile, never its links. */
static struct cuaudit_stat_cell *search(struct stat_thread *thread, uint32_t slot,
					uint64_t library)
{
	struct cuaudit_stat_cell *start = thread->last[slot], *cell = start;

	if (!cell)
		return NULL;
	do {
		if (cell->own_library == library)
			return thread->last[slot] = cell;
		cell = next(cell);
	} while (cell != start);
	return NULL;
}

static void insert(struct stat_thread *thread, struct cuaudit_stat_cell *cell)
{
	struct cuaudit_stat_cell *start = thread->last[cell->slot];

	cell->own_next = start ? start->own_next : (uintptr_t)cell;
	cell->own_thread = (uintptr_t)thread->cells;
	thread->cells = cell;
	if (start)
		start->own_next = (uintptr_t)cell;
	thread->last[cell->slot] = cell;
}

static void clear(struct cuaudit_stat_cell *cell)
{
	memset(&cell->calls, 0, cell->record.size - offsetof(struct cuaudit_stat_cell, calls));
	cell->min = UINT64_MAX;
	cell->answered = 0;
	cell->own_caller = 0;
}

static struct cuaudit_stat_cell *take(void)
{
	struct cuaudit_stat_cell *cell = free_cells;

	if (cell) {
		free_cells = next(cell);
		return cell;
	}
	cell = stat_store_take(cell_size);
	if (cell)
		clear(cell);
	return cell;
}

static struct cuaudit_stat_cell *create(struct stat_thread *thread,
					const struct cuaudit_function *function,
					const struct cuaudit_library *library)
{
	struct cuaudit_stat_cell *cell;

	if (!thread->record)
		thread->record = stat_thread_begin();
	if (!thread->record)
		return NULL;
	stat_coverage_function(function);
	stat_coverage_library(library);
	cell = take();
	if (!cell)
		return NULL;
	cell->slot = function->slot;
	cell->library = library->index;
	cell->thread = thread->record->number;
	cell->own_library = (uintptr_t)library;
	stat_store_publish(cell, CUAUDIT_STAT_CELL);
	insert(thread, cell);
	return cell;
}

static struct cuaudit_stat_cell *find(struct stat_thread *thread,
				      const struct cuaudit_function *function,
				      const struct cuaudit_library *library)
{
	struct cuaudit_stat_cell *cell = search(thread, function->slot, (uintptr_t)library);
	sigset_t saved;

	if (cell)
		return cell;
	stat_lock(&saved);
	/* A handler may have come between. */
	cell = search(thread, function->slot, (uintptr_t)library);
	if (!cell)
		cell = create(thread, function, library);
	stat_unlock(&saved);
	return cell;
}

__attribute__((noinline))
struct cuaudit_stat_cell *stat_cell_find(const struct cuaudit_call *call)
{
	struct stat_thread *thread = cuaudit_thread_block(stat_cell_key);
	uint32_t generation = *cuaudit_generation;
	struct cuaudit_stat_cell *cell = NULL;

	if (thread)
		cell = find(thread, call->function, cuaudit_call_library(call));
	if (!cell) {
		stat_store_lost();
		return NULL;
	}
	/* A handler that takes over in between leaves a pair that does not match. */
	cell->own_caller = 0;
	atomic_signal_fence(memory_order_seq_cst);
	cell->own_generation = generation;
	atomic_signal_fence(memory_order_seq_cst);
	cell->own_caller = (uintptr_t)call->caller;
	return cell;
}

static void merge(struct cuaudit_stat_cell *into, const struct cuaudit_stat_cell *from)
{
	into->calls += from->calls;
	into->answered += from->answered;
	into->errors += from->errors;
	into->not_ready += from->not_ready;
	into->total += from->total;
	into->squares += from->squares;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	if (cell_size < sizeof(*into))
		return;
	for (int i = 0; i < CUAUDIT_STAT_BUCKETS; i++)
		if (__builtin_add_overflow(into->buckets[i], from->buckets[i], &into->buckets[i]))
			into->buckets[i] = UINT32_MAX;
}

/* The first cell of its kind becomes the ended threads' own; others are used again. */
static void retire(struct cuaudit_stat_cell *cell)
{
	struct cuaudit_stat_cell *into = search(&ended, cell->slot, cell->own_library);

	if (!into) {
		cell->thread = 0;
		insert(&ended, cell);
		return;
	}
	merge(into, cell);
	clear(cell);
	cell->own_next = (uintptr_t)free_cells;
	free_cells = cell;
}

void stat_cell_thread_exit(struct stat_thread *thread)
{
	struct cuaudit_stat_cell *cell, *following;
	uint64_t calls = 0, errors = 0, total = 0;
	sigset_t saved;

	stat_lock(&saved);
	for (cell = thread->cells; cell; cell = next_of_thread(cell)) {
		calls += cell->calls;
		errors += cell->errors;
		total += cell->total;
		thread->last[cell->slot] = NULL;
	}
	cell = thread->cells;
	if (thread->record)
		cell = stat_thread_end(thread->record, cell, calls, errors, total);
	for (; cell; cell = following) {
		following = next_of_thread(cell);
		retire(cell);
	}
	thread->cells = NULL;
	thread->record = NULL;
	stat_unlock(&saved);
}

int stat_cell_setup(const struct cuaudit_module *owner, int timed, uint32_t threads)
{
	int key = cuaudit_thread_key(sizeof(struct stat_thread), owner);

	if (key < 0)
		return key;
	stat_cell_key = (uint32_t)key;
	cell_size = timed ? sizeof(struct cuaudit_stat_cell) :
			    offsetof(struct cuaudit_stat_cell, buckets);
	stat_thread_setup(threads);
	return 0;
}

void stat_cell_forked(void)
{
	struct stat_thread *thread = cuaudit_thread_block(stat_cell_key);

	if (thread)
		memset(thread, 0, sizeof(*thread));
	memset(&ended, 0, sizeof(ended));
	free_cells = NULL;
	stat_thread_forked();
	stat_coverage_forked();
	stat_error_forked();
}
