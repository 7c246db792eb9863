/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics' own ways, for calls of a function that nothing else hooks. */
#include "hooks/modules/stat_direct.h"

#include "hooks/direct.h"
#include "hooks/modules/stat_cell.h"
#include "hooks/modules/stat_record.h"

#ifdef ARCH_DIRECT

static cuaudit_exit_fn on_exit;
static void *on_exit_data;

/* Called by direct.S. */
direct_exit_fn stat_direct_exit;

/* By the hook itself. */
static __attribute__((noinline, cold))
int exit_slowly(const struct direct *direct, uint64_t end, int result)
{
	struct frame frame;

	direct_fill(&frame, direct, end, result);
	on_exit(&frame.call, on_exit_data);
	return frame.call.result;
}

__attribute__((hot, aligned(64)))
int stat_direct_exit(struct direct *direct, uint64_t end, int result)
{
	const struct stat_thread *thread = direct_block(direct);
	struct cuaudit_stat_cell *cell = thread->last[direct->function->slot];

	if (__builtin_expect(!cell || result ||
			     cell->own_caller != (uintptr_t)direct->caller ||
			     cell->own_generation != direct_generation(direct), 0))
		return exit_slowly(direct, end, result);
	stat_record(cell, end - direct->start, 0, 0);
	return 0;
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

int stat_direct_add(const struct cuaudit_hook *hook)
{
	on_exit = hook->exit;
	on_exit_data = hook->data;
	return hook_add_direct(hook, direct_is_near(stat_cell_key) ? choose : NULL);
}

#else

int stat_direct_add(const struct cuaudit_hook *hook)
{
	return cuaudit_hook_add(hook);
}

#endif
