/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of traces: what it refuses, what it finds in torn files. FILE is a good one. */
#include "tracefile/tracefile.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { CUTS = 300, WALKS = 400 };

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

/* Words of a record between its first two and its arguments. */
static uint64_t between(unsigned int flags)
{
	return (flags & CUAUDIT_TRACE_LONG ? 2 : 0) + (flags & CUAUDIT_TRACE_STATUS ? 1 : 0) +
	       (flags & CUAUDIT_TRACE_CORRELATION ? 1 : 0) + (flags & CUAUDIT_TRACE_STACK ? 1 : 0);
}

enum {
	WORDS_LEFT = 160,
	AGAIN_WORDS = CUAUDIT_TRACE_AGAIN_MOST / 8,
	BEFORE = CUAUDIT_TRACE_CHUNK_HEADER / 8 + 2	/* words to the end of the chunk before */
};

/*
 * A chunk of records, most of them good: repeats of any record before, or of none; records with
 * as many words as their flags need, with more, and now and then with one less; threads that take
 * over. Ends with a zero or with a record that does not fit.
 */
static void make_records(uint64_t *words, size_t count, uint32_t sites, uint32_t stacks)
{
	size_t starts[4096], nstarts = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		words[i] = chance_word();
	while (at + WORDS_LEFT < count && nstarts < 4096) {
		unsigned int flags = (unsigned int)chance(32);
		uint64_t size = 2 + between(flags), *record = words + at, back = 1 + chance(12);

		starts[nstarts++] = at;
		if (chance(3) == 0) {
			size_t far = chance(64) ? 8 : nstarts;

			if (chance(16))
				back = at - starts[nstarts - 1 - chance(nstarts < far ? nstarts : far)];
			else if (chance(2))
				back = at + (chance(2) ? chance(3) - 1 : BEFORE);
			back = back < 0xffff ? back : 0xffff;
			*record = 1 | back << 8 | chance(1 << 18) << 24 | chance(1 << 20) << 42;
			at++;
			continue;
		}
		if (chance(64) == 0) {
			size = CUAUDIT_TRACE_NEXT_WORDS + chance(2);
			flags |= CUAUDIT_TRACE_NEXT_THREAD;
		} else if (chance(16) == 0) {
			flags |= CUAUDIT_TRACE_RANGE;
		} else if (flags & CUAUDIT_TRACE_WITH_ARGUMENTS || chance(8) == 0) {
			size += chance(AGAIN_WORDS + 2);
		}
		record[0] = size | flags << 8 | (record[0] & ~UINT64_C(0xffff));
		record[1] = chance(sites + 1) << 32 | (uint32_t)record[1];
		for (uint64_t i = 2; i < size; i++)
			if (chance(2))
				record[i] = record[i] << 32 | chance(stacks + 2);
		at += size;
	}
	switch (chance(4)) {
	case 0:		/* a repeat that takes the last word */
		while (at < count)
			words[at++] = 1 | UINT64_C(7) << 8;
		break;
	case 1:
		words[at] = chance(2) << 8;
		break;
	case 2:		/* too few words for its flags, or for another thread */
		words[at] = chance(2) ? (CUAUDIT_TRACE_NEXT_WORDS - 1) | CUAUDIT_TRACE_NEXT_THREAD << 8 :
					(1 + between(31)) | 31 << 8;
		break;
	default:
		break;
	}
}

struct plain {
	const uint64_t *words;
	size_t count, at;
	uint64_t last, correlation, damaged;
	uint32_t thread, sites, stacks;
};

/* Where the arguments of a record that is repeated are; NULL: it cannot be. */
static const uint64_t *repeated(const uint64_t *record, uint64_t most, uint32_t *size)
{
	uint64_t words = record[0] & 255, first;
	unsigned int flags = record[0] >> 8 & 255;

	first = 2 + between(flags);
	if (words < 2 || words > most || words < first || words - first > AGAIN_WORDS ||
	    flags & (CUAUDIT_TRACE_NEXT_THREAD | CUAUDIT_TRACE_RANGE))
		return NULL;
	*size = flags & CUAUDIT_TRACE_WITH_ARGUMENTS ? 8 * (uint32_t)(words - first) : 0;
	return record + first;
}

/* The next call of a chunk that is in memory as a whole, as cuaudit-trace(5) says; false at its end. */
static bool plain_next(struct plain *plain, struct trace_call *call)
{
	for (;;) {
		const uint64_t *record = plain->words + plain->at, *more = record + 2;
		uint64_t words, took, since, back;
		unsigned int flags;

		if (plain->at == plain->count || !*record)
			return false;
		words = record[0] & 255;
		flags = record[0] >> 8 & 255;
		if (!words || words > plain->count - plain->at)
			break;
		*call = (struct trace_call){ .stack = TRACE_NONE };
		plain->at += words;
		if (words == 1) {
			back = record[0] >> 8 & 0xffff;
			plain->correlation++;
			plain->last += record[0] >> 42;
			took = record[0] >> 24 & 0x3ffff;
			if (back < 2 || back > plain->at - 1 ||
			    !(more = repeated(record - back, back, &call->size))) {
				plain->damaged++;
				continue;
			}
			call->site = (uint32_t)(record[-(ptrdiff_t)back + 1] >> 32);
			call->arguments = (const uint8_t *)more;
		} else if (flags & CUAUDIT_TRACE_NEXT_THREAD) {
			if (words < CUAUDIT_TRACE_NEXT_WORDS)
				break;
			plain->thread = (uint32_t)record[CUAUDIT_TRACE_NEXT_NUMBER];
			plain->last = record[CUAUDIT_TRACE_NEXT_TICKS];
			plain->correlation = record[CUAUDIT_TRACE_NEXT_CORRELATION];
			continue;
		} else if (flags & CUAUDIT_TRACE_RANGE) {
			if (words < 2 + !!(flags & CUAUDIT_TRACE_LONG))
				break;
			plain->last += flags & CUAUDIT_TRACE_LONG ? record[2] : record[0] >> 32;
			continue;
		} else {
			if (words < 2 + between(flags))
				break;
			plain->correlation +=
				(uint64_t)(int16_t)((record[0] >> 16) - plain->correlation);
			since = record[0] >> 32;
			took = (uint32_t)record[1];
			call->site = (uint32_t)(record[1] >> 32);
			if (flags & CUAUDIT_TRACE_LONG) {
				since = *more++;
				took = *more++;
			}
			plain->last += since;
			if (flags & CUAUDIT_TRACE_STATUS) {
				call->result = (int32_t)*more;
				call->depth = (uint16_t)(*more >> 32);
				call->status = (uint16_t)(*more++ >> 48);
			}
			if (flags & CUAUDIT_TRACE_CORRELATION)
				plain->correlation = *more++;
			if (flags & CUAUDIT_TRACE_STACK) {
				call->stack = (uint32_t)*more++;
				call->stack = call->stack < plain->stacks ? call->stack : TRACE_NONE;
			}
			if (flags & CUAUDIT_TRACE_WITH_ARGUMENTS) {
				call->arguments = (const uint8_t *)more;
				call->size = (uint32_t)(record + words - more) * 8;
			}
		}
		if (call->site >= plain->sites) {
			plain->damaged++;
			continue;
		}
		call->end = plain->last;
		call->start = plain->last - took;
		call->correlation = plain->correlation;
		call->thread = plain->thread;
		return true;
	}
	plain->damaged++;
	return false;
}

static bool same_call(const struct trace_call *a, const struct trace_call *b)
{
	return a->start == b->start && a->end == b->end && a->correlation == b->correlation &&
	       a->thread == b->thread && a->site == b->site && a->stack == b->stack &&
	       a->result == b->result && a->depth == b->depth && a->status == b->status &&
	       a->size == b->size && (!a->size || !memcmp(a->arguments, b->arguments, a->size));
}

/* One walk against the plain one. How many calls there were; -1: they differ. */
static long walk_as(const struct trace *trace, struct plain plain, size_t window)
{
	uint64_t *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call, wanted = { 0 };
	long calls = 0;
	bool there;

	trace_walk_begin(&walk, trace, buffer, window);
	trace_walk_chunk(&walk, 0);
	do {
		there = plain_next(&plain, &wanted);
		if (trace_walk_next(&walk, &call) != there ||
		    (there && !same_call(&call, &wanted))) {
			diag("window %zu, call %ld: id %llu not %llu, at word %zu", window, calls,
			     (unsigned long long)call.correlation,
			     (unsigned long long)wanted.correlation, plain.at);
			calls = -1;
			break;
		}
		calls += there;
	} while (there);
	if (calls >= 0 && walk.damaged != plain.damaged) {
		diag("window %zu: %llu damaged, not %llu", window,
		     (unsigned long long)walk.damaged, (unsigned long long)plain.damaged);
		calls = -1;
	}
	free(buffer);
	return calls;
}

/* Chunks of any records are walked as a plain reader does it, however little is in memory. */
static void walk_any(size_t chunk)
{
	size_t count = (chunk - CUAUDIT_TRACE_CHUNK_HEADER) / 8;
	uint64_t *words = (void *)(bytes + chunk + CUAUDIT_TRACE_CHUNK_HEADER);
	long calls = 0, wrong = 0;
	struct trace trace;

	/* What looks like a record there is none of this chunk's. */
	memcpy(bytes + chunk - 16, (uint64_t[]){ 2, 1 }, 16);
	for (int i = 0; i < WALKS; i++) {
		struct plain plain = { .words = words, .count = count };

		make_records(words, count, 30, 8);
		write_copy(2 * chunk);
		if (trace_open(&trace, path) || trace.nchunks != 1) {
			wrong++;
		} else {
			long most = 0, least = 0;

			plain.last = trace.chunks[0].base_ticks;
			plain.correlation = trace.chunks[0].base_correlation;
			plain.thread = trace.chunks[0].thread;
			plain.sites = (uint32_t)trace.nsites;
			plain.stacks = (uint32_t)trace.ncallers;
			most = walk_as(&trace, plain, chunk);
			least = walk_as(&trace, plain, TRACE_WINDOW_MIN);
			wrong += most < 0 || least < 0 || plain.sites != 30 || plain.stacks != 8;
			calls += most;
		}
		trace_close(&trace);
	}
	ok(!wrong && calls > 100 * WALKS, "%d chunks of any records, %ld calls, are read as they are",
	   WALKS, calls);
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
	refused_with(incompatible, UINT64_C(1) << 40, "features", "an unknown feature");
	refused_with(chunk, 12345, "damaged", "a chunk of no power of two");
	refused_with(chunk, 1024, "damaged", "a chunk too small");
	((struct cuaudit_trace_header *)bytes)->compatible = UINT64_MAX;
	write_copy(size);
	is_str(trace_open(&trace, path), NULL, "features that may be ignored are");
	trace_close(&trace);
	clocks();
	cut_everywhere(chunk);
	walk_any(chunk);
	return done_testing();
}
