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

_Static_assert(TRACE_FAST_WORDS * sizeof(uint64_t) == FAST_WORDS &&
	       TRACE_FAST_NOTHING * sizeof(uint64_t) == FAST_FUNCTION, "words");
_Static_assert(offsetof(struct trace_writer, at) == TRACE_WRITER_AT &&
	       offsetof(struct trace_writer, limit) == TRACE_WRITER_LIMIT &&
	       offsetof(struct trace_writer, end) == TRACE_WRITER_END &&
	       offsetof(struct trace_writer, correlation) == TRACE_WRITER_CORRELATION &&
	       offsetof(struct trace_writer, calls) == TRACE_WRITER_CALLS &&
	       offsetof(struct trace_writer, kernels_epoch) == TRACE_WRITER_EPOCH &&
	       offsetof(struct trace_writer, sites) == TRACE_WRITER_SITES &&
	       offsetof(struct trace_writer, kernels) == TRACE_WRITER_KERNELS, "writer");
_Static_assert(offsetof(struct trace_sites, sites) == 0 && sizeof(struct trace_site) == 64 &&
	       TRACE_SITES == 256 && TRACE_SITES_FACTOR == TRACE_SITE_FACTOR, "sites");
_Static_assert(offsetof(struct trace_site, last.record) == TRACE_LAST_RECORD &&
	       offsetof(struct trace_site, last.one.word) == TRACE_LAST_WORD &&
	       offsetof(struct trace_site, last.one.small) == TRACE_LAST_SMALL &&
	       offsetof(struct trace_site, last.masks) == TRACE_LAST_MASKS, "last");
_Static_assert(offsetof(struct trace_sites, rest) == TRACE_COLD &&
	       offsetof(struct trace_site_cold, words) == TRACE_COLD_WORDS - TRACE_COLD &&
	       offsetof(struct trace_site_cold, small) == TRACE_COLD_SMALL - TRACE_COLD, "rest");
/* How many words back a record lies has 16 bits. */
_Static_assert(CUAUDIT_TRACE_CHUNK / 8 <= UINT16_MAX, "chunk");
_Static_assert(offsetof(struct trace_site, caller) == TRACE_SITE_CALLER &&
	       offsetof(struct trace_site, function) == TRACE_SITE_FUNCTION &&
	       offsetof(struct trace_site, generation) == TRACE_SITE_GENERATION &&
	       offsetof(struct trace_site, number) == TRACE_SITE_NUMBER &&
	       offsetof(struct trace_site, fast) == TRACE_SITE_FAST, "site");
_Static_assert(offsetof(struct trace_fast, mask) == 0 && offsetof(struct trace_fast, words) == 2 &&
	       offsetof(struct trace_fast, flags) == 3 && offsetof(struct trace_fast, first) == 4 &&
	       offsetof(struct trace_fast, second) == 5 && offsetof(struct trace_fast, end) == 6 &&
	       offsetof(struct trace_fast, small) == 7, "fast");
_Static_assert(offsetof(struct trace_fast_small, word) == 0 &&
	       offsetof(struct trace_fast_small, at) == 1 &&
	       offsetof(struct trace_fast_small, upper) == 2 &&
	       sizeof(struct trace_fast_small) == 3, "small");
_Static_assert(TRACE_KERNELS - 2 == TRACE_KERNELS_MASK, "kernels");
_Static_assert(TRACE_RECORD_LAUNCH == (8 | CUAUDIT_TRACE_WITH_ARGUMENTS << 8), "launch");
_Static_assert(TRACE_RECORD_PREFETCH * sizeof(uint64_t) == TRACE_RECORD_AHEAD, "ahead");

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
	if (shape == FAST_REGISTERS && !plan->compact.more)
		return !plan->nsteps ? (void *)trace_fast_path_no_args :
		       trace_plan_is_int(plan, function) ? (void *)trace_fast_path_int :
		       (void *)trace_fast_path;
	if (shape == FAST_LAUNCH && !with_arguments)
		return (void *)trace_fast_path_launch_no_args;
	/* Of nine words; the first is the kernel. */
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
