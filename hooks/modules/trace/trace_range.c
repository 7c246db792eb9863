/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of the program, in the trace. */
#include "hooks/modules/trace/trace_range.h"

#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_range_record.h"
#include "hooks/modules/trace/trace_trigger.h"

/* From now on the file does not have what is open on this thread, until trace_range_begin. */
static void miss(struct trace_writer *writer)
{
	if (!writer)
		return;
	writer->stale = true;
	writer->limit = NULL;
}

static __attribute__((noinline))
void record_slowly(const struct cuaudit_range *range, const struct cuaudit_call *call)
{
	uint64_t ticks = range->end ? range->end : range->ticks;
	struct trace_writer *writer;
	uint32_t why;

	if (trace_trigger_is_off()) {
		miss(call->blocks[trace_writer_key]);
		return;
	}
	writer = trace_writer(call, ticks, &why);
	if (!writer) {
		if (why != TRACE_FILE_ENDED)
			trace_range_lost();
		miss(call->blocks[trace_writer_key]);
		return;
	}
	if (trace_range_has_names())
		trace_range_names();
	trace_range_record(writer, range);
}

static __attribute__((hot))
void on_range(const struct cuaudit_range *range, const struct cuaudit_call *call, void *data)
{
	struct trace_writer *writer = call->blocks[(uintptr_t)data];

	if (__builtin_expect(!writer || writer->at >= writer->limit || trace_trigger_watch ||
			     trace_range_has_names(), 0))
		record_slowly(range, call);
	else
		trace_range_record(writer, range);
}

int trace_range_setup(void)
{
	trace_range_want();
	return cuaudit_range_listen(on_range, (void *)(uintptr_t)trace_writer_key);
}
