/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics' own ways, for calls that are like those before them. */
#include "hooks/modules/stat/stat_direct.h"

#include "hooks/direct.h"
#include "hooks/modules/stat/stat_cell.h"

#ifdef ARCH_DIRECT

/* Hooks without and with a result that is no error. */
static struct {
	cuaudit_exit_fn exit;
	void *data;
} hooks[2];

/* Called by stat_direct.S. */
direct_exit_fn stat_direct_exit, stat_direct_exit_query;

_Static_assert(offsetof(struct cuaudit_function, slot) == FUNCTION_SLOT, "function");
_Static_assert(offsetof(struct stat_thread, last) == STAT_THREAD_LAST, "thread");
_Static_assert(offsetof(struct cuaudit_stat_cell, own_caller) == STAT_CELL_CALLER &&
	       offsetof(struct cuaudit_stat_cell, own_generation) == STAT_CELL_GENERATION &&
	       offsetof(struct cuaudit_stat_cell, calls) == STAT_CELL_CALLS &&
	       offsetof(struct cuaudit_stat_cell, total) == STAT_CELL_TOTAL &&
	       offsetof(struct cuaudit_stat_cell, squares) == STAT_CELL_SQUARES &&
	       offsetof(struct cuaudit_stat_cell, min) == STAT_CELL_MIN &&
	       offsetof(struct cuaudit_stat_cell, max) == STAT_CELL_MAX &&
	       offsetof(struct cuaudit_stat_cell, buckets) == STAT_CELL_BUCKETS &&
	       CUAUDIT_STAT_BUCKETS == STAT_BUCKETS, "cell");

/* What is rare: in the function's cell, or else by the hook itself. */
static int finish(struct direct *direct, uint64_t end, int result, bool query)
{
	struct cuaudit_stat_cell *cell = *(struct cuaudit_stat_cell **)direct->memory;
	struct frame frame;

	if (cell && cell->own_caller == (uintptr_t)direct->caller &&
	    cell->own_generation == direct_generation(direct)) {
		stat_cell_record(cell, end - direct->start, result, hooks[query].data);
		return result;
	}
	direct_fill(&frame, direct, end, result);
	hooks[query].exit(&frame.call, hooks[query].data);
	direct_release(direct);
	return frame.call.result;
}

int stat_direct_exit(struct direct *direct, uint64_t end, int result)
{
	return finish(direct, end, result, false);
}

int stat_direct_exit_query(struct direct *direct, uint64_t end, int result)
{
	return finish(direct, end, result, true);
}

static void *choose(const struct cuaudit_function *function)
{
	switch (direct_shape(function)) {
	case DIRECT_FEW:
		return (void *)stat_direct_way;
	case DIRECT_LAUNCH:
		return (void *)stat_direct_way_launch;
	default:
		return NULL;
	}
}

static void *choose_query(const struct cuaudit_function *function)
{
	return direct_shape(function) == DIRECT_FEW ? (void *)stat_direct_way_query : NULL;
}

int stat_direct_add(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	bool query = (intptr_t)hook->data != STAT_NEVER;

	hooks[query].exit = hook->exit;
	hooks[query].data = hook->data;
	return hook_add_innermost(hook, !direct_is_near(stat_cell_key) ? NULL :
				  query ? choose_query : choose, answered);
}

#else

int stat_direct_add(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	return hook_add_innermost(hook, NULL, answered);
}

#endif

int stat_direct_add_plain(const struct cuaudit_hook *hook, hook_answered_fn answered)
{
	return hook_add_innermost(hook, NULL, answered);
}
