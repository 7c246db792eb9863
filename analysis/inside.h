/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls inside of calls of the runtime. */
#ifndef ANALYSIS_INSIDE_H
#define ANALYSIS_INSIDE_H

#include "analysis/row.h"
#include "tracefile/tracefile.h"
#include "util/hash_table.h"

/* From which sites. */
struct inside_key {
	uint32_t outer, inner;
};

struct inside_call {
	uint64_t start, ticks;
	uint32_t site;
	bool failed, not_ready;
};

enum { INSIDE_DEPTH = 16 };	/* deeper calls are in none */

/* Calls of the present thread, by depth, that the one around them has not ended of. */
struct inside {
	struct table calls;	/* struct inside_key -> struct row_counts, of ticks */
	bool any;		/* the trace has functions of the runtime */
	struct {
		struct inside_call *calls;
		size_t count, room;
	} pending[INSIDE_DEPTH];
};

void inside_begin(struct inside *inside, const struct trace *trace);

/* Other calls of other threads, or of a thread's later time, come next. */
void inside_drop(struct inside *inside);

/* The next call, as the trace has them: by their ends. wanted: it is added up. 0 or -ENOMEM. */
int inside_add(struct inside *inside, const struct trace *trace, const struct trace_call *call,
	       bool wanted, bool not_ready);

void inside_free(struct inside *inside);

#endif
