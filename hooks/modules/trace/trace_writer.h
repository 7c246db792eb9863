/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread writes its calls with. */
#ifndef HOOKS_MODULES_TRACE_TRACE_WRITER_H
#define HOOKS_MODULES_TRACE_TRACE_WRITER_H

#include <cuaudit/hook.h>

#include "hooks/modules/trace/trace_chunk.h"
#include "hooks/modules/trace/trace_layout.h"
#include "hooks/modules/trace/trace_site.h"

enum {
	TRACE_KERNELS = 256,	/* a power of two ... */
	TRACE_KERNELS_LOW = 4,	/* ... by bits of a handle from here on, and from here */
	TRACE_KERNELS_HIGH = 11,
	TRACE_STACKS = 16,	/* a power of two */
	TRACE_STACK_MOST = 100,
	TRACE_MOST = 2040	/* bytes of a record */
};

/* A backtrace, by the sum of its addresses. */
struct trace_known_stack {
	uint64_t hash[2];
	uint32_t number;
};

/* The thread's block; its first line and sites are what most calls need. */
struct trace_writer {
	uint64_t *at;		/* of the next record */
	uint64_t *limit;	/* there is room for any record before this; NULL: no chunk */
	uint64_t end;		/* of the last call */
	uint64_t correlation;	/* of the last call */
	uint64_t calls;		/* in the chunk */
	uint32_t kernels_epoch;
	struct trace_sites sites;
	uint64_t kernels[TRACE_KERNELS];
	struct trace_chunk chunk;
	uint32_t number;	/* of the thread; 0: it has not begun */
	int32_t tid;
	bool off;		/* the thread is not wanted */
	bool stale;		/* events of ranges are missing, and limit is NULL: see trace_range_begin */
	uint64_t start;
	struct trace_writer *next, **link;	/* of those that have begun */
	struct trace_known_stack stacks[TRACE_STACKS];
	const struct trace_layout *layouts[TRACE_KERNELS];	/* of kernels; NULL: not known */
	struct cuaudit_trace_parameter parameters[TRACE_LAYOUT_PARAMETERS];	/* of the one that is asked for */
	struct cuaudit_stack_frame frames[TRACE_STACK_MOST + 1];	/* of the call that is recorded */
};

extern uint32_t trace_writer_key;

/*
 * Context: setup. threads: a glob over names, or a number; NULL for all. print:
 * the path is printed at the end, whatever is logged. 0 or -errno.
 */
int trace_writer_setup(const struct cuaudit_module *owner, const char *threads, bool print);

/*
 * Context: call. The calling thread's writer, with room for a record of a call
 * that began at ticks; NULL: there is none, and *why is the loss, or
 * TRACE_FILE_ENDED if it is none.
 */
struct trace_writer *trace_writer(const struct cuaudit_call *call, uint64_t ticks, uint32_t *why);

/* Context: call. Where the call comes from, found or described anew; NULL as above. */
const struct trace_site *trace_writer_site(struct trace_writer *writer,
					   const struct cuaudit_call *call, uint32_t *why);

/* Context: call. Whether the calling thread is one of those that are. */
bool trace_writer_wanted(void);

/* Context: call. The thread whose block, a writer, that is ends. */
void trace_writer_thread_exit(void *block);

/* Context: call. A hook was left, perhaps in the middle of a record of the call with that id. */
void trace_writer_hook_unwound(void *block, uint64_t correlation);

/* Context: setup. Ends the file, and says what there is to say. */
void trace_writer_finish(void);

/* Context: setup, the end of the process. A thread=GLOB that matched no thread is reported. */
void trace_writer_report_unmatched(void);

/* Context: call, in the child of fork. */
void trace_writer_forked(void);

#endif
