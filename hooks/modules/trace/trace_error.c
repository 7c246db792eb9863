/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of errors, in a trace. */
#include "hooks/modules/trace/trace_error.h"

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_table.h"

/* A program may fail for ever: so often one text of one function is written, and so many texts. */
enum { ALIKE = 64, ALL = 16384 };

static struct trace_table written;	/* by function and text: how often */
static uint32_t count;

static uint64_t hash(const char *text)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
	return sum;
}

static void describe(const struct trace_writer *writer, const struct cuaudit_call *call,
		     const char *text)
{
	uint64_t of = (uint64_t)call->function->slot << 32 | (uint32_t)call->result;
	uint64_t sum = hash(text), times = trace_table_get(&written, sum, of);
	struct cuaudit_trace_error *record;
	size_t size = trace_describe_size(text);
	uint32_t why;

	if (times >= ALIKE || count >= ALL || trace_table_put(&written, sum, of, times + 1))
		return;
	record = trace_describe(sizeof(*record), size, &why);
	if (!record)
		return;
	count++;
	record->correlation = call->correlation;
	record->thread = writer->number;
	record->result = call->result;
	trace_describe_text(record + 1, text, size);
	trace_describe_publish(record, CUAUDIT_TRACE_ERROR);
}

void trace_error(const struct trace_writer *writer, const struct cuaudit_call *call)
{
	const char *text = cuaudit_call_error_text(call);
	struct trace_lock saved;

	if (!text)
		return;
	trace_lock(&saved);
	describe(writer, call, text);
	trace_unlock(&saved);
}

void trace_error_forked(void)
{
	trace_table_clear(&written);
	count = 0;
}
