/* SPDX-License-Identifier: Apache-2.0 */
/* Which call a call was made inside of. */
#include "convert/nesting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 32,		/* deeper ones are siblings */
	KEPT_MAX = 1 << 16	/* inner calls; of more the outer one is not waited for */
};

/* The latest call of each depth, going backwards. */
struct level {
	bool there;
	uint64_t start, self;
};

static uint32_t level_of(const struct trace_call *call)
{
	return call->depth < LEVELS ? call->depth : LEVELS - 1;
}

static int take(struct nesting *nesting, struct convert *convert, const struct trace *trace,
		const struct trace_call *call, struct level levels[LEVELS])
{
	uint32_t own = level_of(call);
	uint64_t parent = 0;

	for (uint32_t i = own; i > 0 && !parent; i--)
		if (levels[i - 1].there && (int64_t)(call->start - levels[i - 1].start) >= 0)
			parent = levels[i - 1].self;
	levels[own] = (struct level){ true, call->start, 0 };
	return nesting->take(convert, trace, call, parent, &levels[own].self);
}

/* The inner calls, backwards, behind the outer one, if there is one. */
static int take_all(struct nesting *nesting, struct convert *convert, const struct trace *trace,
		    const struct trace_call *outer)
{
	struct level levels[LEVELS] = { { .there = false } };
	int error = outer ? take(nesting, convert, trace, outer, levels) : 0;

	while (nesting->count) {
		struct trace_call *call = &nesting->kept[--nesting->count];

		if (!error)
			error = take(nesting, convert, trace, call, levels);
		free((void *)(uintptr_t)call->arguments);
	}
	return error;
}

static int keep(struct nesting *nesting, const struct trace_call *call)
{
	struct trace_call *kept;

	if (nesting->count == nesting->room) {
		size_t room = nesting->room ? 2 * nesting->room : 16;

		kept = reallocarray(nesting->kept, room, sizeof(*kept));
		if (!kept)
			return -ENOMEM;
		nesting->kept = kept;
		nesting->room = room;
	}
	kept = &nesting->kept[nesting->count];
	*kept = *call;
	if (call->arguments) {
		uint8_t *own = malloc(call->size + 1);

		if (!own)
			return -ENOMEM;
		kept->arguments = memcpy(own, call->arguments, call->size);
	}
	nesting->count++;
	return 0;
}

int nesting_call(struct nesting *nesting, struct convert *convert, const struct trace *trace,
		 const struct trace_call *call)
{
	int error = 0;

	if (nesting->count && (call->thread != nesting->thread || nesting->count == KEPT_MAX))
		error = take_all(nesting, convert, trace, NULL);
	nesting->thread = call->thread;
	if (error)
		return error;
	return call->depth ? keep(nesting, call) : take_all(nesting, convert, trace, call);
}

int nesting_end(struct nesting *nesting, struct convert *convert, const struct trace *trace)
{
	return take_all(nesting, convert, trace, NULL);
}

void nesting_free(struct nesting *nesting)
{
	while (nesting->count)
		free((void *)(uintptr_t)nesting->kept[--nesting->count].arguments);
	free(nesting->kept);
}
