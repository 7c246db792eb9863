/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a thread's calls were made inside of which. */
/*
 * Calls come in the order of their ends, an inner one before its outer one, so
 * those with a depth are held until the next without one, or of another thread.
 * So many at most: then they are let go, and their outer one comes too late.
 */
#ifndef EXPORT_NEST_H
#define EXPORT_NEST_H

#include "export/convert.h"
#include "util/bytes.h"

enum {
	NEST_CALLS = 4096,		/* for begin and end */
	NEST_ARGUMENTS = 1 << 20,	/* bytes, for these too */
	NEST_TAKEN = 1 << 16		/* calls, for take */
};

typedef int (*nest_fn)(struct convert *convert, const struct trace *trace,
		       const struct trace_call *call);

/* Either begin and end, or take. */
struct nest_ops {
	/* By time; inner calls begin after their outer one, and end before it. */
	nest_fn begin, end;
	/*
	 * Outer calls before inner ones, the last to end first. parent is what it left in
	 * *self for the outer one; 0: there is none, or it was filtered or lost.
	 */
	int (*take)(struct convert *convert, const struct trace *trace,
		    const struct trace_call *call, uint64_t parent, uint64_t *self);
};

/* Zeroed but for ops, it is empty. */
struct nest {
	const struct nest_ops *ops;
	struct trace_call *calls;	/* arguments: offsets in bytes + 1 */
	uint32_t count;
	size_t room;
	struct bytes arguments;
};

/* Takes a call; 0, -ENOMEM, or what a function returned. */
int nest_call(struct nest *nest, struct convert *convert, const struct trace *trace,
	      const struct trace_call *call);

/* The status of a call that has not ended: no trace has it. */
enum { NEST_OPEN = 1 << 15 };

/* Such a call, ending when it was last seen, for a format that takes it as any other. */
static inline struct trace_call nest_open(const struct convert_open *open)
{
	return (struct trace_call){
		.start = open->start, .end = open->seen, .thread = open->thread,
		.site = open->site, .stack = TRACE_NONE, .depth = (uint16_t)open->depth,
		.status = NEST_OPEN,
	};
}

/* Lets go what is still held. */
int nest_flush(struct nest *nest, struct convert *convert, const struct trace *trace);

void nest_free(struct nest *nest);

#endif
