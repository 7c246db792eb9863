/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of a trace, for calls whose record is one of the common ones. */
#include "hooks/modules/trace/trace_fast_path.h"

#include "hooks/fast_path.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_record.h"

#ifdef ARCH_FAST_PATH

static cuaudit_exit_fn on_exit;
static bool with_arguments;

/* Called by trace_fast_path_x86_64.S. */
fast_exit_fn trace_fast_slowly;

/* The one behind the registers is the site. */
_Static_assert(offsetof(struct fast_call, memory) ==
	       offsetof(struct fast_call, words[TRACE_FAST_NOTHING]), "nothing");
/* How many words back a record lies has 16 bits. */
_Static_assert(CUAUDIT_TRACE_CHUNK / 8 <= UINT16_MAX, "chunk");
_Static_assert(offsetof(struct trace_sites, sites) == 0, "sites");

/* By the hook itself. */
__attribute__((cold)) int trace_fast_slowly(struct fast_call *fast, uint64_t end, int result)
{
	struct frame frame;

	fast_fill(&frame, fast, end, result);
	on_exit(&frame.call, (void *)(uintptr_t)trace_writer_key);
	fast_release(fast);
	return frame.call.result;
}

static void *choose(const struct cuaudit_function *function)
{
	enum fast_shape shape = fast_shape(function);
	const struct trace_plan *plan;
	struct trace_lock saved;

	trace_lock(&saved);
	plan = trace_plan(function);
	trace_unlock(&saved);
	if (shape == FAST_REGISTERS && plan->is_fast)
		return !plan->nsteps ? (void *)trace_fast_path_no_args :
		       trace_plan_is_int(plan, function) ? (void *)trace_fast_path_int :
		       (void *)trace_fast_path;
	if (shape == FAST_LAUNCH && !with_arguments)
		return (void *)trace_fast_path_launch_no_args;
	if (shape == FAST_LAUNCH && plan->is_launch && !plan->nops &&
	    plan->after == TRACE_AFTER_KERNEL)
		return (void *)trace_fast_path_launch;
	return NULL;
}

int trace_fast_add(const struct cuaudit_hook *hook, bool arguments)
{
	bool near = fast_is_inline(trace_writer_key);

	with_arguments = arguments;
	on_exit = hook->exit;
	if (!near)
		cuaudit_log(CUAUDIT_INFO, "trace: fault or stat comes before it in CUAUDIT_HOOKS, so that "
			    "calls take some nanoseconds more; name trace first");
	return hook_add_fast_path(hook, near ? choose : NULL);
}

#else

int trace_fast_add(const struct cuaudit_hook *hook, bool arguments)
{
	(void)arguments;
	return cuaudit_hook_add(hook);
}

#endif
