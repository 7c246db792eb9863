/* SPDX-License-Identifier: Apache-2.0 */
/* Which call a call was made inside of. */
/*
 * A thread's calls come in the order of their ends, so an inner one is kept
 * until its outer one has come. One that was made inside of a call that is not
 * there, as it was filtered or lost, has no parent.
 */
#ifndef CONVERT_NESTING_H
#define CONVERT_NESTING_H

#include "convert/convert.h"

/* Outer calls before inner ones. parent is what it left in *self for the outer one, 0 for none. */
typedef int (*nesting_fn)(struct convert *convert, const struct trace *trace,
			  const struct trace_call *call, uint64_t parent, uint64_t *self);

/* All 0 in the beginning. */
struct nesting {
	nesting_fn take;
	struct trace_call *kept;	/* with arguments of their own */
	size_t count, room;
	uint32_t thread;
};

/* Takes a call; 0, -ENOMEM or what take returned. */
int nesting_call(struct nesting *nesting, struct convert *convert, const struct trace *trace,
		 const struct trace_call *call);

/* No more calls of this file. */
int nesting_end(struct nesting *nesting, struct convert *convert, const struct trace *trace);

void nesting_free(struct nesting *nesting);

#endif
