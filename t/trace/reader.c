/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of traces: what it refuses, what it finds in torn files. FILE is a good one. */
#include "trace/trace.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t/tap.h"

enum { CUTS = 300 };

static unsigned char *bytes;
static size_t size;
static const char *path;

static void write_copy(size_t length)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	close(fd);
}

/* With this put at that place of the file, it is refused with these words. */
static void refused(size_t at, uint64_t value, size_t width, const char *words, const char *name)
{
	unsigned char saved[8];
	const char *fault;
	struct trace trace;

	memcpy(saved, bytes + at, width);
	memcpy(bytes + at, &value, width);
	write_copy(size);
	fault = trace_open(&trace, path);
	ok(fault && strstr(fault, words), "%s: %s", name, fault ? fault : "taken");
	trace_close(&trace);
	memcpy(bytes + at, saved, width);
}

#define refused_with(field, value, words, name) \
	refused(offsetof(struct cuaudit_trace_header, field), value, \
		sizeof(((struct cuaudit_trace_header *)0)->field) > 8 ? 8 : \
		sizeof(((struct cuaudit_trace_header *)0)->field), words, name)

/* The calls of a chunk as the bytes say, up to an end. */
static uint64_t count_in(size_t offset, size_t end)
{
	size_t at = offset + CUAUDIT_TRACE_CHUNK_HEADER;
	uint64_t calls = 0;

	while (at + 8 <= end && bytes[at] && at + bytes[at] * 8u <= end) {
		calls += bytes[at] == 1 || !(bytes[at + 1] & CUAUDIT_TRACE_NEXT_THREAD);
		at += bytes[at] * 8u;
	}
	return calls;
}

static uint64_t expected(size_t cut, size_t chunk)
{
	uint64_t calls = 0;

	for (size_t offset = chunk; offset + CUAUDIT_TRACE_CHUNK_HEADER <= cut; offset += chunk)
		calls += count_in(offset, cut - offset < chunk ? cut : offset + chunk);
	return calls;
}

/* How many threads calls were of; the numbers are dense. */
static uint32_t threads;

static uint64_t count(const struct trace *trace, uint64_t *damaged)
{
	struct trace_merge *merge = trace_merge_open(trace);
	const struct trace_call *call;
	uint64_t calls = 0, last = 0;

	while ((call = trace_merge_next(merge))) {
		if (call->end < last)
			diag("call %llu ends before the one before", (unsigned long long)calls);
		last = call->end;
		calls++;
		if (call->thread > threads)
			threads = call->thread;
		if (call->correlation >> 40 != call->thread)
			diag("call %llu has a wrong correlation", (unsigned long long)calls);
	}
	*damaged = trace_merge_damaged(merge);
	trace_merge_close(merge);
	return calls;
}

static void cut_everywhere(size_t chunk)
{
	uint64_t damaged, torn = 0;
	int bad = 0;

	srand(7);
	for (int i = 0; i < CUTS; i++) {
		size_t cut = chunk + (size_t)rand() % (size - chunk);
		struct trace trace;
		uint64_t calls;

		write_copy(cut);
		if (trace_open(&trace, path)) {
			bad++;
		} else {
			calls = count(&trace, &damaged);
			torn += damaged != 0;
			if (calls != expected(cut, chunk)) {
				diag("cut at %zu: %llu calls, not %llu", cut,
				     (unsigned long long)calls,
				     (unsigned long long)expected(cut, chunk));
				bad++;
			}
		}
		trace_close(&trace);
	}
	is_int(bad, 0, "%d cuts: all calls before the cut are found", CUTS);
	ok(torn > CUTS / 8, "many cuts tear a record, and are told: %d", (int)torn);
}

/* Half of the file's words, to the end of time and back. */
static void clocks(void)
{
	struct cuaudit_trace_header *header = (void *)bytes;
	struct trace trace;
	uint64_t second;

	write_copy(size);
	trace_open(&trace, path);
	second = header->start_ticks + header->clock_hz;
	ok(llabs((long long)(trace_ns(&trace, second) - header->start_ns) - 1000000000) < 100,
	   "a second is a second");
	ok(trace_ns(&trace, header->start_ticks - header->clock_hz) < header->start_ns,
	   "and what was before the start is before it");
	trace_close(&trace);

	/* The time of day was set back meanwhile: the writer's own measure holds. */
	header->end_ns -= (header->end_ns - header->start_ns) / 2;
	write_copy(size);
	trace_open(&trace, path);
	ok(llabs((long long)(trace_ns(&trace, second) - header->start_ns) - 1000000000) < 100,
	   "a clock that was set does not bend time");
	is_int(trace.steps, 0, "which an older file does not tell");
	trace_close(&trace);

	/* By little, which only a clock that is not set tells. */
	header->start_raw = 77;
	header->end_raw = 77 + (header->end_ticks - header->start_ticks) / 2;
	header->end_ns = header->start_ns + (header->end_raw - 77) / 1000 * 1005;
	write_copy(size);
	trace_open(&trace, path);
	ok(llabs((long long)(trace_ns(&trace, second) - header->start_ns) - 1000000000) < 100,
	   "nor does one that was set by half a percent");
	is_int(trace.steps, 1, "and it is told");
	ok(llabs((long long)(trace.step_ns - (long long)(header->end_raw - 77) / 200)) < 2000,
	   "by how much, too: %lld", (long long)trace.step_ns);
	trace_close(&trace);
}

int main(int argc, char **argv)
{
	struct trace trace;
	uint64_t damaged;
	size_t chunk;
	int fd;

	if (argc != 5)
		return 2;
	fd = open(argv[1], O_RDONLY);
	size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(size);
	path = argv[2];
	if (pread(fd, bytes, size, 0) != (ssize_t)size)
		return 2;
	chunk = ((struct cuaudit_trace_header *)bytes)->chunk;

	is_str(trace_open(&trace, argv[1]), NULL, "a good file is taken");
	is_int((long)count(&trace, &damaged), atol(argv[3]), "all its calls are there");
	is_int(threads, atol(argv[4]), "and all threads");
	is_int((long)(damaged + trace.damaged + trace.torn), 0, "nothing is damaged");
	trace_close(&trace);
	refused_with(magic, 0, "is not a trace", "another magic");
	refused_with(version, 2, "version 2; this cuaudit reads versions 1 to 1", "a newer version");
	refused_with(version, 0, "version 0", "no version");
	refused_with(order, 0x04030201, "other byte order", "another byte order");
	refused_with(order, 5, "damaged", "no byte order");
	refused_with(incompatible, 4, "features", "an unknown feature");
	refused_with(chunk, 12345, "damaged", "a chunk of no power of two");
	refused_with(chunk, 1024, "damaged", "a chunk too small");
	((struct cuaudit_trace_header *)bytes)->compatible = UINT64_MAX;
	write_copy(size);
	is_str(trace_open(&trace, path), NULL, "features that may be ignored are");
	trace_close(&trace);
	clocks();
	cut_everywhere(chunk);
	return done_testing();
}
