/* SPDX-License-Identifier: Apache-2.0 */
/* Until when the calls of a trace that have not ended have lasted. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tracefile/ending.h"

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) > 0 ? a : b;
}

/* The end of its last call. */
static void walk_last(struct trace_walk *walk, const struct trace_thread *thread, uint64_t *ticks)
{
	struct trace_call call;

	trace_walk_chunk(walk, thread->first + thread->count - 1);
	while (trace_walk_next(walk, &call))
		;
	*ticks = later(walk->last, *ticks);
}

int trace_until(const struct trace *trace, uint64_t *ticks)
{
	size_t window = trace_window(trace);
	struct trace_walk walk;
	bool open = false;
	void *buffer;

	*ticks = later(trace->header.end_ticks, trace->start_ticks);
	for (size_t i = 0; i < trace->nchunks * CUAUDIT_TRACE_OPEN; i++) {
		const struct trace_chunk *chunk = &trace->chunks[i / CUAUDIT_TRACE_OPEN];
		uint64_t start = chunk->open[i % CUAUDIT_TRACE_OPEN].ticks;

		if (start)
			*ticks = later(start, *ticks);
		open |= start != 0;
	}
	if (!open)
		return 0;
	buffer = malloc(window);
	if (!buffer)
		return -ENOMEM;
	trace_walk_begin(&walk, trace, buffer, window);
	for (size_t i = 0; i < trace->nthreads; i++)
		if (trace->threads[i].count)
			walk_last(&walk, &trace->threads[i], ticks);
	free(buffer);
	if (trace_ending(&trace->header) == TRACE_RUNS)
		*ticks = later(trace->start_ticks +
			       (uint64_t)trace_ticks_since(trace, now_ns()), *ticks);
	return walk.error;
}
