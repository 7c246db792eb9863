/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a thread's calls were made inside of which. */
#include "export/nest.h"
#include "util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 32 };	/* deeper calls are siblings */

/* The latest call of each depth, going backwards. */
struct level {
	bool there;
	uint64_t start, self;
};

/* A call with none around it or inside of it. */
static int one(const struct nest_ops *ops, struct convert *convert, const struct trace *trace,
	       const struct trace_call *call)
{
	uint64_t self = 0;

	if (ops->take)
		return ops->take(convert, trace, call, 0, &self);
	return ops->begin(convert, trace, call) ?: ops->end(convert, trace, call);
}

static int hold(struct nest *nest, const struct trace_call *call)
{
	struct trace_call *held;
	uint8_t *arguments;

	held = bytes_grown(nest->calls, &nest->room, nest->count, sizeof(*held));
	if (!held)
		return -ENOMEM;
	nest->calls = held;
	held += nest->count;
	*held = *call;
	if (call->arguments) {
		arguments = bytes_room(&nest->arguments, call->size + 1);
		if (!arguments)
			return -ENOMEM;
		memcpy(arguments, call->arguments, call->size);
		held->arguments = (const uint8_t *)(uintptr_t)(nest->arguments.used + 1);
		nest->arguments.used += call->size;
	}
	nest->count++;
	return 0;
}

/* Outer ones first. */
static int compare(const void *a, const void *b)
{
	const struct trace_call *x = a, *y = b;

	return ORDER(x->start, y->start) ?: ORDER(y->end, x->end) ?: ORDER(x->depth, y->depth);
}

static int by_time(struct nest *nest, struct convert *convert, const struct trace *trace)
{
	struct trace_call *calls = nest->calls;
	uint32_t open[NEST_CALLS], nopen = 0;
	int error = 0;

	qsort(calls, nest->count, sizeof(*calls), compare);
	for (uint32_t i = 0; !error && i < nest->count; i++) {
		while (!error && nopen && calls[open[nopen - 1]].end <= calls[i].start)
			error = nest->ops->end(convert, trace, &calls[open[--nopen]]);
		if (!error)
			error = nest->ops->begin(convert, trace, &calls[i]);
		open[nopen++] = i;
	}
	while (!error && nopen)
		error = nest->ops->end(convert, trace, &calls[open[--nopen]]);
	return error;
}

static int backwards(struct nest *nest, struct convert *convert, const struct trace *trace)
{
	struct level levels[LEVELS] = { { .there = false } };
	int error = 0;

	for (uint32_t i = nest->count; !error && i > 0; i--) {
		const struct trace_call *call = &nest->calls[i - 1];
		uint32_t own = call->depth < LEVELS ? call->depth : LEVELS - 1;
		uint64_t parent = 0;

		for (uint32_t above = own; above > 0 && !parent; above--)
			if (levels[above - 1].there &&
			    (int64_t)(call->start - levels[above - 1].start) >= 0)
				parent = levels[above - 1].self;
		levels[own] = (struct level){ true, call->start, 0 };
		error = nest->ops->take(convert, trace, call, parent, &levels[own].self);
	}
	return error;
}

int nest_flush(struct nest *nest, struct convert *convert, const struct trace *trace)
{
	int error;

	if (!nest->count)
		return 0;
	for (uint32_t i = 0; i < nest->count; i++)
		if (nest->calls[i].arguments)
			nest->calls[i].arguments = nest->arguments.data - 1 +
						   (uintptr_t)nest->calls[i].arguments;
	error = nest->ops->take ? backwards(nest, convert, trace) : by_time(nest, convert, trace);
	nest->count = 0;
	nest->arguments.used = 0;
	return error;
}

static bool full(const struct nest *nest)
{
	if (nest->ops->take)
		return nest->count == NEST_TAKEN;
	return nest->count == NEST_CALLS || nest->arguments.used >= NEST_ARGUMENTS;
}

int nest_call(struct nest *nest, struct convert *convert, const struct trace *trace,
	      const struct trace_call *call)
{
	int error = 0;

	if (nest->count && call->thread != nest->calls[0].thread)
		error = nest_flush(nest, convert, trace);
	if (error)
		return error;
	if (!nest->count && !call->depth)
		return one(nest->ops, convert, trace, call);
	error = hold(nest, call);
	if (error || (call->depth && !full(nest)))
		return error;
	return nest_flush(nest, convert, trace);
}

void nest_free(struct nest *nest)
{
	free(nest->calls);
	bytes_free(&nest->arguments);
	nest->calls = NULL;
	nest->room = nest->count = 0;
}
