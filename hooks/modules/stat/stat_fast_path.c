/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of statistics, for calls like those before them. */
#include "hooks/modules/stat/stat_fast_path.h"

#include "hooks/fast_path.h"
#include "hooks/modules/stat/stat_cell.h"
#include "hooks/runtime_row.h"

#ifdef ARCH_FAST_PATH

/* Hooks without and with a result that is no error. */
static struct {
	cuaudit_exit_fn exit;
	void *data;
} hooks[2];

/* Called by stat_fast_path_x86_64.S. */
fast_exit_fn stat_fast_exit, stat_fast_exit_query;

/* What is rare: in the function's cell, or else by the hook itself. */
static int finish(struct fast_call *fast, uint64_t end, int result, bool query)
{
	struct cuaudit_stat_cell *cell = *(struct cuaudit_stat_cell **)fast->memory;
	struct frame frame;

	if (cell && cell->own_caller == (uintptr_t)fast->caller &&
	    cell->own_generation == fast_generation(fast)) {
		stat_cell_record(cell, fast->caller, end - fast->start, result,
				 hooks[query].data);
		return result;
	}
	fast_fill(&frame, fast, end, result);
	hooks[query].exit(&frame.call, hooks[query].data);
	fast_release(fast);
	return frame.call.result;
}

int stat_fast_exit(struct fast_call *fast, uint64_t end, int result)
{
	return finish(fast, end, result, false);
}

int stat_fast_exit_query(struct fast_call *fast, uint64_t end, int result)
{
	return finish(fast, end, result, true);
}

static void *choose(const struct cuaudit_function *function)
{
	switch (fast_shape(function)) {
	case FAST_REGISTERS:
		return (void *)stat_fast_path;
	case FAST_LAUNCH:
		return (void *)stat_fast_path_launch;
	default:
		return NULL;
	}
}

static void *choose_query(const struct cuaudit_function *function)
{
	return fast_shape(function) == FAST_REGISTERS ? (void *)stat_fast_path_query : NULL;
}

int stat_fast_add(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	bool query = (intptr_t)hook->data != STAT_NEVER;

	hooks[query].exit = hook->exit;
	hooks[query].data = hook->data;
	return hook_add_innermost(hook, !fast_is_inline(stat_cell_key) ? NULL :
				  query ? choose_query : choose, answered);
}

#else

int stat_fast_add(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	return hook_add_innermost(hook, NULL, answered);
}

#endif

int stat_fast_add_plain(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	return hook_add_innermost(hook, NULL, answered);
}

static struct cells cells;

static void *choose_cells(const struct cuaudit_function *function)
{
	return runtime_row_of_slot(function->slot) ? &cells : NULL;
}

int stat_fast_add_counter(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	cells = (struct cells){ stat_cell_key, offsetof(struct stat_thread, last) };
	return hook_add_innermost(hook, choose_cells, answered);
}
