/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that have begun and not ended, for who reads the file of a process that hangs. */
#include "hooks/modules/trace_open.h"

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace_trigger.h"
#include "hooks/modules/trace_writer.h"

/* Those above are of calls that have ended, perhaps by longjmp. */
static int on_enter(struct cuaudit_call *call, void *data)
{
	uint64_t now = cuaudit_ticks();
	const struct trace_site *site;
	struct trace_writer *writer;
	struct cuaudit_trace_open *open;
	uint32_t why;

	(void)data;
	if (call->depth >= CUAUDIT_TRACE_OPEN || trace_trigger_is_off())
		return CUAUDIT_CONTINUE;
	writer = trace_writer(call, now, &why);
	site = writer ? trace_writer_site(writer, call, &why) : NULL;
	if (!site)
		return CUAUDIT_CONTINUE;
	open = writer->chunk.at->open;
	for (uint32_t i = call->depth; i < CUAUDIT_TRACE_OPEN; i++)
		open[i].ticks = 0;
	open += call->depth;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	open->site = site->number;
	open->depth = call->depth;
	/* Pairs with the reader. */
	__atomic_store_n(&open->ticks, now, __ATOMIC_RELEASE);
	return CUAUDIT_CONTINUE;
}

/* After the call's record: it is in one of both places at any time. */
static void on_exit(struct cuaudit_call *call, void *data)
{
	const struct trace_writer *writer = call->blocks[trace_writer_key];

	(void)data;
	if (call->depth < CUAUDIT_TRACE_OPEN && writer && writer->chunk.at)
		__atomic_store_n(&writer->chunk.at->open[call->depth].ticks, 0, __ATOMIC_RELEASE);
}

int trace_open_setup(const char *functions, int32_t priority)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = priority, .name = "trace",
		.functions = functions, .enter = on_enter, .exit = on_exit,
	};

	return cuaudit_hook_add(&hook);
}
