/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's calls, which come by their ends, as beginnings and ends by time. */
#include "convert/nest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int one(struct nest *nest, const struct trace_call *call)
{
	int error = nest->ops->begin(nest->data, call);

	return error ? error : nest->ops->end(nest->data, call);
}

static int hold(struct nest *nest, const struct trace_call *call)
{
	struct trace_call *held;
	uint8_t *arguments;

	if (!nest->calls)
		nest->calls = calloc(NEST_CALLS, sizeof(*nest->calls));
	arguments = bytes_room(&nest->arguments, call->size + 8);
	if (!nest->calls || !arguments)
		return -ENOMEM;
	held = &nest->calls[nest->count++];
	*held = *call;
	if (!call->arguments)
		return 0;
	memcpy(arguments, call->arguments, call->size);
	held->arguments = (const uint8_t *)(uintptr_t)(nest->arguments.used + 1);
	nest->arguments.used += call->size;
	return 0;
}

/* Outer ones first. */
static int compare(const void *a, const void *b)
{
	const struct trace_call *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

int nest_flush(struct nest *nest)
{
	struct trace_call *calls = nest->calls;
	uint32_t open[NEST_CALLS], nopen = 0;
	int error = 0;

	if (!nest->count)
		return 0;
	for (uint32_t i = 0; i < nest->count; i++)
		if (calls[i].arguments)
			calls[i].arguments = nest->arguments.data - 1 +
					     (uintptr_t)calls[i].arguments;
	qsort(calls, nest->count, sizeof(*calls), compare);
	for (uint32_t i = 0; !error && i < nest->count; i++) {
		while (!error && nopen && calls[open[nopen - 1]].end <= calls[i].start)
			error = nest->ops->end(nest->data, &calls[open[--nopen]]);
		if (!error)
			error = nest->ops->begin(nest->data, &calls[i]);
		open[nopen++] = i;
	}
	while (!error && nopen)
		error = nest->ops->end(nest->data, &calls[open[--nopen]]);
	nest->count = 0;
	nest->arguments.used = 0;
	return error;
}

int nest_call(struct nest *nest, const struct trace_call *call)
{
	int error;

	if (!nest->count && !call->depth)
		return one(nest, call);
	error = hold(nest, call);
	if (error || (call->depth && nest->count < NEST_CALLS &&
		      nest->arguments.used < NEST_ARGUMENTS))
		return error;
	return nest_flush(nest);
}

void nest_free(struct nest *nest)
{
	free(nest->calls);
	bytes_free(&nest->arguments);
	nest->calls = NULL;
	nest->count = 0;
}
