/* SPDX-License-Identifier: Apache-2.0 */
/* Until when the calls of a trace that have not ended have lasted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace.h"

enum { SECOND = 1000000000 };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* When the process of that pid began, since the epoch; 0: there is none, or it is dead. */
static uint64_t process_start(uint32_t pid)
{
	uint64_t boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	char path[64], text[1024], state;
	unsigned long long start;
	const char *at;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %llu", &state, &start) != 2 || strchr("ZXx", state))
		return 0;
	return boot + start * SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Another process of its pid would have begun after the trace did. */
static bool lives(const struct trace *trace)
{
	char host[sizeof(trace->header.host)] = "";
	uint64_t start;

	if (trace->header.flags & CUAUDIT_TRACE_FINISHED || gethostname(host, sizeof(host) - 1) ||
	    strcmp(host, trace->header.host))
		return false;
	start = process_start(trace->header.pid);
	return start && start <= trace->start_ns + SECOND;
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
	if (lives(trace))
		*ticks = later(trace->start_ticks +
			       (uint64_t)trace_ticks_since(trace, clock_ns(CLOCK_REALTIME)), *ticks);
	return walk.error;
}
