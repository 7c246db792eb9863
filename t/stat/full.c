/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram that is full stays so: fills the cells that the statistics, alone with a
 * function, add to, and calls on.
 */
#include <cuaudit/coverage.h>
#include <dlfcn.h>

#include "hooks/modules/stat/stat_cell.h"
#include "hooks/thread.h"
#include "t/tap.h"
#include "t/trace/driver.h"

enum { CALLS = 1000 };

static const struct stat_thread *thread;

static int take_block(struct cuaudit_call *call, void *data)
{
	(void)data;
	thread = call->blocks[THREAD_KEYS - 1];
	return CUAUDIT_CONTINUE;
}

static __attribute__((noinline)) int call(int which)
{
	return which ? cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void *)10, (void *)11) :
		       cuEventQuery(0);
}

static struct cuaudit_stat_cell *cell_of(void *core, const char *name)
{
	const struct cuaudit_function *(*get)(uint32_t) =
		(const struct cuaudit_function *(*)(uint32_t))dlsym(core, "cuaudit_function_get");
	const struct cuaudit_function *function;

	for (uint32_t slot = 0; (function = get(slot)); slot++)
		if (!strcmp(function->name, name))
			return thread ? thread->last[slot] : NULL;
	return NULL;
}

static void fill(void *core, int which, const char *name)
{
	struct cuaudit_stat_cell *cell;
	uint64_t before;
	int wrong = 0;

	for (int i = 0; i < CALLS; i++)
		call(which);
	cell = cell_of(core, name);
	if (!ok(cell && cell->calls >= CALLS, "%s: a cell", name))
		return;
	before = cell->calls;
	memset(cell->buckets, 0xff, sizeof(cell->buckets));
	for (int i = 0; i < CALLS; i++)
		call(which);
	for (int i = 0; i < CUAUDIT_STAT_BUCKETS; i++)
		wrong += cell->buckets[i] != UINT32_MAX;
	is_int(wrong, 0, "%s: no bucket begins at 0 again", name);
	is_int((long long)(cell->calls - before), CALLS, "%s: the calls are counted", name);
}

int main(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "block", .functions = "cuInit", .enter = take_block,
	};
	int (*add)(const struct cuaudit_hook *);
	void *core;

	cuInit(0);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	add = core ? (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add") : NULL;
	if (!add)
		bail_out("the core is not loaded");
	is_int(add(&hook), 0, "a hook");
	cuInit(0);
	fill(core, 0, "cuEventQuery");
	fill(core, 1, "cuLaunchKernel");
	return done_testing();
}
