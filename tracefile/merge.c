/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of all threads in the order of their ends. */
#include "tracefile/tracefile.h"
#include "util/sort.h"

#include <errno.h>
#include <stdlib.h>

enum {
	MEMORY = 32 << 20	/* for the windows of all threads, as long as they are few */
};

/* A thread that is read; its buffer is there from its first chunk to its last. */
struct cursor {
	struct trace_walk walk;
	struct trace_call call;
	size_t chunk, end;	/* of trace->chunks: the next, and past the last */
	void *buffer;
};

struct trace_merge {
	const struct trace *trace;
	struct cursor *cursors;	/* by the beginnings of the threads */
	size_t ncursors, begun;
	struct cursor **heap;	/* of those begun, by the end of their call */
	size_t nheap;
	size_t window;
	uint64_t damaged;
	int error;
	bool moved;		/* the heap's first cursor has to go on */
};

static uint64_t beginning(const struct trace_merge *merge, const struct cursor *cursor)
{
	return merge->trace->chunks[cursor->chunk].base_ticks;
}

static int compare_cursors(const void *a, const void *b, void *data)
{
	uint64_t x = beginning(data, a), y = beginning(data, b);

	return ORDER(x, y);
}

struct trace_merge *trace_merge_open(const struct trace *trace)
{
	struct trace_merge *merge = calloc(1, sizeof(*merge));
	size_t count = trace->nthreads + 1;

	if (!merge)
		return NULL;
	merge->trace = trace;
	merge->cursors = calloc(count, sizeof(*merge->cursors));
	merge->heap = calloc(count, sizeof(struct cursor *));
	if (!merge->cursors || !merge->heap) {
		trace_merge_close(merge);
		return NULL;
	}
	for (size_t i = 0; i < trace->nthreads; i++) {
		const struct trace_thread *thread = &trace->threads[i];

		if (!thread->count)
			continue;
		merge->cursors[merge->ncursors].chunk = thread->first;
		merge->cursors[merge->ncursors++].end = thread->first + thread->count;
	}
	qsort_r(merge->cursors, merge->ncursors, sizeof(*merge->cursors), compare_cursors, merge);
	trace_merge_limit(merge, MEMORY);
	return merge;
}

void trace_merge_limit(struct trace_merge *merge, size_t bytes)
{
	size_t each = bytes / (merge->trace->nthreads + 1);

	merge->window = trace_window(merge->trace);
	if (merge->window > each)
		merge->window = each < TRACE_WINDOW_MIN ? TRACE_WINDOW_MIN : each;
}

static void finish(struct trace_merge *merge, struct cursor *cursor)
{
	merge->damaged += cursor->walk.damaged;
	cursor->walk.damaged = 0;
	if (cursor->walk.error)
		merge->error = cursor->walk.error;
	free(cursor->buffer);
	cursor->buffer = NULL;
}

/* Its next call; false: there is none. */
static bool advance(struct trace_merge *merge, struct cursor *cursor)
{
	while (!trace_walk_next(&cursor->walk, &cursor->call)) {
		if (cursor->chunk == cursor->end) {
			finish(merge, cursor);
			return false;
		}
		trace_walk_chunk(&cursor->walk, cursor->chunk++);
	}
	return true;
}

static void sift_up(struct cursor **heap, size_t at)
{
	struct cursor *cursor = heap[at];

	for (; at && heap[(at - 1) / 2]->call.end > cursor->call.end; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = cursor;
}

static void sift_down(struct cursor **heap, size_t count)
{
	struct cursor *cursor = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1]->call.end < heap[child]->call.end)
			child++;
		if (heap[child]->call.end >= cursor->call.end)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = cursor;
}

/* A thread joins once its calls could be the next. */
static bool join(struct trace_merge *merge)
{
	struct cursor *cursor = &merge->cursors[merge->begun++];

	cursor->buffer = malloc(merge->window);
	if (!cursor->buffer) {
		merge->error = -ENOMEM;
		return false;
	}
	trace_walk_begin(&cursor->walk, merge->trace, cursor->buffer, merge->window);
	if (!advance(merge, cursor))
		return false;
	merge->heap[merge->nheap] = cursor;
	sift_up(merge->heap, merge->nheap++);
	return true;
}

const struct trace_call *trace_merge_next(struct trace_merge *merge)
{
	if (merge->moved) {
		if (!advance(merge, merge->heap[0]))
			merge->heap[0] = merge->heap[--merge->nheap];
		if (merge->nheap > 1)
			sift_down(merge->heap, merge->nheap);
	}
	while (merge->begun < merge->ncursors &&
	       (!merge->nheap || beginning(merge, &merge->cursors[merge->begun]) <=
				 merge->heap[0]->call.end))
		join(merge);
	merge->moved = merge->nheap;
	return merge->nheap ? &merge->heap[0]->call : NULL;
}

int trace_merge_error(const struct trace_merge *merge)
{
	return merge->error;
}

uint64_t trace_merge_damaged(const struct trace_merge *merge)
{
	return merge->damaged;
}

void trace_merge_close(struct trace_merge *merge)
{
	for (size_t i = 0; merge->cursors && i < merge->ncursors; i++)
		free(merge->cursors[i].buffer);
	free(merge->cursors);
	free(merge->heap);
	free(merge);
}
