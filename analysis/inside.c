/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls inside of calls of the runtime. */
#include "analysis/inside.h"

#include <errno.h>
#include <stdlib.h>

#include "util/bytes.h"

void inside_begin(struct inside *inside, const struct trace *trace)
{
	*inside = (struct inside){ .calls = { .row = sizeof(struct row_counts) } };
	for (size_t i = 0; i < trace->nfunctions; i++)
		inside->any |= trace->functions[i].runtime;
}

void inside_drop(struct inside *inside)
{
	for (int i = 0; inside->any && i < INSIDE_DEPTH; i++)
		inside->pending[i].count = 0;
}

static int add(struct inside *inside, const struct trace_call *outer, const struct inside_call *inner)
{
	struct inside_key key = { outer->site, inner->site };
	uint32_t number = table_find(&inside->calls, &key, sizeof(key));
	struct row_counts counts = { 1, inner->failed && !inner->not_ready, inner->not_ready, inner->ticks };

	if (number == TABLE_NONE)
		return -ENOMEM;
	row_add(table_row(&inside->calls, number), &counts);
	return 0;
}

/* Those that began before the call does were in one that was left. */
static int take(struct inside *inside, const struct trace *trace, const struct trace_call *call)
{
	bool runtime = trace->functions[trace->sites[call->site].function].runtime;
	uint32_t depth = call->depth + 1u;
	int error = 0;

	if (depth >= INSIDE_DEPTH)
		return 0;
	for (size_t i = 0; runtime && !error && i < inside->pending[depth].count; i++)
		if ((int64_t)(inside->pending[depth].calls[i].start - call->start) >= 0)
			error = add(inside, call, &inside->pending[depth].calls[i]);
	for (; depth < INSIDE_DEPTH; depth++)
		inside->pending[depth].count = 0;
	return error;
}

int inside_add(struct inside *inside, const struct trace *trace, const struct trace_call *call,
	       bool wanted, bool not_ready)
{
	struct inside_call *calls;
	int error;

	if (!inside->any)
		return 0;
	error = take(inside, trace, call);
	if (error || !wanted || !call->depth || call->depth >= INSIDE_DEPTH)
		return error;
	calls = bytes_grown(inside->pending[call->depth].calls, &inside->pending[call->depth].room,
			    inside->pending[call->depth].count, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	inside->pending[call->depth].calls = calls;
	calls[inside->pending[call->depth].count++] = (struct inside_call){
		call->start, call->end - call->start, call->site, call->result, not_ready };
	return 0;
}

void inside_free(struct inside *inside)
{
	for (int i = 0; i < INSIDE_DEPTH; i++)
		free(inside->pending[i].calls);
	table_free(&inside->calls);
}
