/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that have begun and not ended, for who reads the file of a process that hangs. */
#include "hooks/modules/trace/trace_open.h"

#include <cuaudit/clock.h>
#include <cuaudit/range.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_trigger.h"
#include "hooks/modules/trace/trace_writer.h"

static int in_range = -1;

/* Those above are of calls that have ended, perhaps by longjmp. */
static int on_enter(struct cuaudit_call *call, void *data)
{
	uint64_t now = cuaudit_ticks();
	const struct trace_site *site;
	struct trace_writer *writer;
	struct cuaudit_trace_open *open;
	uint32_t why;

	(void)data;
	call->scratch = 0;
	if (call->depth >= CUAUDIT_TRACE_OPEN || trace_trigger_is_off() ||
	    (in_range >= 0 && !cuaudit_call_in_range(call, in_range)))
		return CUAUDIT_CONTINUE;
	writer = trace_writer(call, now, &why);
	site = writer ? trace_writer_site(writer, call, &why) : NULL;
	if (!site)
		return CUAUDIT_CONTINUE;
	open = writer->chunk.at->open;
	for (uint32_t i = call->depth; i < CUAUDIT_TRACE_OPEN; i++)
		open[i].ticks = 0;
	call->scratch = (uintptr_t)writer;
	open += call->depth;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	open->site = site->number;
	open->depth = call->depth;
	/* Pairs with the reader. */
	__atomic_store_n(&open->ticks, now, __ATOMIC_RELEASE);
	return CUAUDIT_CONTINUE;
}

/* The thread that the call began on may be in another by now, or have ended. */
static __attribute__((cold)) void close_moved(struct trace_writer *writer, const struct cuaudit_call *call)
{
	struct cuaudit_trace_open *open;
	struct trace_lock saved;

	trace_lock(&saved);
	if (writer->number && writer->chunk.at) {
		open = &writer->chunk.at->open[call->depth];
		/* Else it is of a later call. */
		if (open->ticks <= call->start)
			__atomic_store_n(&open->ticks, 0, __ATOMIC_RELEASE);
	}
	trace_unlock(&saved);
}

/* After the call's record: it is in one of both places at any time. */
static void on_exit(struct cuaudit_call *call, void *data)
{
	struct trace_writer *writer = (struct trace_writer *)(uintptr_t)call->scratch;

	(void)data;
	if (!writer)
		return;
	if (writer != call->blocks[trace_writer_key])
		close_moved(writer, call);
	else if (writer->chunk.at)
		__atomic_store_n(&writer->chunk.at->open[call->depth].ticks, 0, __ATOMIC_RELEASE);
}

int trace_open_setup(const char *functions, int ranges, int32_t priority)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = priority, .name = "trace",
		.functions = functions, .enter = on_enter, .exit = on_exit,
		.flags = CUAUDIT_HOOK_TIMED | CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS,
	};

	in_range = ranges;
	return cuaudit_hook_add(&hook);
}
