/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of all threads in the order of their ends. */
#include "tracefile/tracefile.h"

#include <errno.h>
#include <stdlib.h>

enum {
	MEMORY = 32 << 20	/* for the windows of all threads, as long as they are few */
};

/* A thread on its way; its buffer is there from its first chunk to its last. */
struct way {
	struct trace_walk walk;
	struct trace_call call;
	size_t chunk, end;	/* of trace->chunks: the next, and past the last */
	void *buffer;
};

struct trace_merge {
	const struct trace *trace;
	struct way *ways;	/* by the beginnings of the threads */
	size_t nways, begun;
	struct way **heap;	/* of those begun, by the end of their call */
	size_t nheap;
	size_t window;
	uint64_t damaged;
	int error;
	bool moved;		/* the heap's first way has to go on */
};

static uint64_t beginning(const struct trace_merge *merge, const struct way *way)
{
	return merge->trace->chunks[way->chunk].base_ticks;
}

static int compare_ways(const void *a, const void *b, void *data)
{
	uint64_t x = beginning(data, a), y = beginning(data, b);

	return (x > y) - (x < y);
}

struct trace_merge *trace_merge_open(const struct trace *trace)
{
	struct trace_merge *merge = calloc(1, sizeof(*merge));
	size_t count = trace->nthreads + 1;

	if (!merge)
		return NULL;
	merge->trace = trace;
	merge->ways = calloc(count, sizeof(*merge->ways));
	merge->heap = calloc(count, sizeof(struct way *));
	if (!merge->ways || !merge->heap) {
		trace_merge_close(merge);
		return NULL;
	}
	for (size_t i = 0; i < trace->nthreads; i++) {
		const struct trace_thread *thread = &trace->threads[i];

		if (!thread->count)
			continue;
		merge->ways[merge->nways].chunk = thread->first;
		merge->ways[merge->nways++].end = thread->first + thread->count;
	}
	qsort_r(merge->ways, merge->nways, sizeof(*merge->ways), compare_ways, merge);
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

static void finish(struct trace_merge *merge, struct way *way)
{
	merge->damaged += way->walk.damaged;
	way->walk.damaged = 0;
	if (way->walk.error)
		merge->error = way->walk.error;
	free(way->buffer);
	way->buffer = NULL;
}

/* Its next call; false: there is none. */
static bool advance(struct trace_merge *merge, struct way *way)
{
	while (!trace_walk_next(&way->walk, &way->call)) {
		if (way->chunk == way->end) {
			finish(merge, way);
			return false;
		}
		trace_walk_chunk(&way->walk, way->chunk++);
	}
	return true;
}

static void sift_up(struct way **heap, size_t at)
{
	struct way *way = heap[at];

	for (; at && heap[(at - 1) / 2]->call.end > way->call.end; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = way;
}

static void sift_down(struct way **heap, size_t count)
{
	struct way *way = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1]->call.end < heap[child]->call.end)
			child++;
		if (heap[child]->call.end >= way->call.end)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = way;
}

/* A thread joins once its calls could be the next. */
static bool join(struct trace_merge *merge)
{
	struct way *way = &merge->ways[merge->begun++];

	way->buffer = malloc(merge->window);
	if (!way->buffer) {
		merge->error = -ENOMEM;
		return false;
	}
	trace_walk_begin(&way->walk, merge->trace, way->buffer, merge->window);
	if (!advance(merge, way))
		return false;
	merge->heap[merge->nheap] = way;
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
	while (merge->begun < merge->nways &&
	       (!merge->nheap || beginning(merge, &merge->ways[merge->begun]) <=
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
	for (size_t i = 0; merge->ways && i < merge->nways; i++)
		free(merge->ways[i].buffer);
	free(merge->ways);
	free(merge->heap);
	free(merge);
}
