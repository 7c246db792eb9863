/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged trace files: SEED FIRST COUNT FILE..., each file a good one. The
 * reader dies of none, ends with each, and holds no more than 16 times the
 * file's size. Prints how many were refused, read in part, read in full.
 */
#include "tracefile/tracefile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "t/fuzz/fuzz.h"
#include "t/fuzz/mutate.h"
#include "tracefile/arguments.h"
#include "tracefile/ranges.h"

enum { TIMES = 16, PRINTED = 40 };

static int fd;
static size_t held, most;

/* The reader's allocator: each piece apart, and counted. */
void *count_malloc(size_t size);
void *count_calloc(size_t count, size_t size);
void *count_reallocarray(void *at, size_t count, size_t size);
void count_free(void *at);

struct piece {
	size_t size;
	uint64_t padding;
};

static void *piece(size_t size, void *old)
{
	struct piece *from = old ? (struct piece *)old - 1 : NULL, *to;
	size_t before = from ? from->size : 0;

	/* Before it is tried: nobody is asked for what is too much. */
	fuzz_check(size <= SIZE_MAX_ * TIMES);
	to = realloc(from, sizeof(*to) + size);
	fuzz_check(to);
	to->size = size;
	held += size - before;
	most = held > most ? held : most;
	return to + 1;
}

void *count_malloc(size_t size)
{
	return piece(size, NULL);
}

void *count_calloc(size_t count, size_t size)
{
	size_t all;
	void *at;

	fuzz_check(!__builtin_mul_overflow(count, size, &all));
	at = piece(all, NULL);
	memset(at, 0, all);
	return at;
}

void *count_reallocarray(void *at, size_t count, size_t size)
{
	size_t all;

	fuzz_check(!__builtin_mul_overflow(count, size, &all));
	return piece(all, at);
}

void count_free(void *at)
{
	if (!at)
		return;
	held -= ((struct piece *)at - 1)->size;
	free((struct piece *)at - 1);
}

static void print(const struct trace *trace, const struct trace_call *call)
{
	char text[512];
	struct buffer out = { text, sizeof(text), 0 };

	trace_arguments_print(&out, trace, call, 0);
	fuzz_check(buffer_end(&out) > 0 && strlen(text) < sizeof(text));
	trace_kernel(trace, chance_word(), call->start);
	trace_ns(trace, call->start);
	if (call->stack != TRACE_NONE)
		fuzz_check(call->stack < trace->ncallers);
}

/* All texts, so that one that does not end is seen. */
static size_t texts(const struct trace *trace)
{
	size_t sum = strlen(trace->header.program) + strlen(trace->header.host);

	for (size_t i = 0; i < trace->nfunctions; i++)
		sum += strlen(trace->functions[i].name) + strlen(trace->functions[i].base);
	for (size_t i = 0; i < trace->nlibraries; i++)
		sum += strlen(trace->libraries[i].path) + strlen(trace->libraries[i].name);
	for (size_t i = 0; i < trace->nkernels; i++)
		sum += strlen(trace->kernels[i].name) + (trace->kernels[i].number >= trace->nnames);
	for (size_t i = 0; i < trace->nthreads; i++)
		sum += strlen(trace->threads[i].name);
	for (size_t i = 0; i < trace->ndrivers; i++)
		sum += strlen(trace->drivers[i].path);
	for (size_t i = 0; i < trace->nmarks; i++)
		sum += strlen(trace->marks[i].text);
	for (size_t i = 0; i < trace->ncallers; i++)
		for (uint32_t j = 0; j < trace->callers[i].count; j++)
			sum += trace->callers[i].frames[j].library < trace->nlibraries;
	return sum;
}

/* Of all calls and their arguments, with a window of that size. */
static uint64_t hash(const struct trace *trace, size_t window)
{
	void *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call;
	uint64_t sum = 0;

	trace_walk_begin(&walk, trace, buffer, window);
	for (size_t i = 0; i < trace->nchunks; i++) {
		trace_walk_chunk(&walk, i);
		while (trace_walk_next(&walk, &call)) {
			sum = sum * 31 + call.end + call.site;
			for (uint32_t j = 0; j < call.size; j++)
				sum = sum * 31 + call.arguments[j];
		}
	}
	free(buffer);
	return sum * 31 + walk.damaged;
}

static void check_ranges(const struct trace *trace)
{
	struct trace_ranges ranges;
	size_t texts = 0;

	fuzz_check(!trace_ranges_read(&ranges, trace));
	for (size_t i = 0; i < ranges.count; i++) {
		const struct trace_range *range = &ranges.ranges[i];
		uint32_t deep = 0;

		texts += strlen(range->text) + strlen(range->domain) + strlen(range->category);
		fuzz_check((int64_t)(range->end - range->start) >= 0 && ranges.order[i] < ranges.count);
		/* Each is inside of ranges before it, and so ends. */
		for (uint32_t at = range->parent; at != TRACE_NONE; at = ranges.ranges[at].parent)
			fuzz_check(at < ranges.count && deep++ < ranges.count);
	}
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t at = trace_ranges_at(&ranges, i, trace->start_ticks + (chance_word() & 0xffffff));

		fuzz_check(at == TRACE_NONE || at < ranges.count);
	}
	fuzz_check(texts < SIZE_MAX_ * TIMES);
	trace_ranges_free(&ranges);
}

/* How many calls there are; each way to them says the same. */
static uint64_t walk(const struct trace *trace, size_t size)
{
	struct trace_merge *merge = trace_merge_open(trace);
	size_t window = trace_window(trace);
	void *buffer = malloc(window);
	const struct trace_call *next;
	struct trace_walk walk;
	struct trace_call call;
	uint64_t merged = 0;

	trace_walk_begin(&walk, trace, buffer, window);
	for (size_t i = 0; i < trace->nchunks; i++) {
		trace_walk_chunk(&walk, i);
		while (trace_walk_next(&walk, &call))
			if (walk.calls <= PRINTED)
				print(trace, &call);
	}
	while ((next = trace_merge_next(merge))) {
		fuzz_check(next->site < trace->nsites);
		merged++;
	}
	fuzz_check(merged == walk.calls && merged <= size / 8);
	trace_merge_close(merge);
	free(buffer);
	fuzz_check(hash(trace, window) == hash(trace, TRACE_WINDOW_MIN));
	return merged;
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count, refused = 0, part = 0, full = 0, whole[FILES] = { 0 };

	fuzz_start(argc, argv, &seed, &first, &count);
	fd = memfd_create("trace", MFD_CLOEXEC);
	mutate_read(argc, argv);
	for (uint64_t number = first; number < first + count; number++) {
		int file = (int)(number % (uint64_t)nfiles);
		size_t size;
		struct trace trace;
		char path[32];
		uint64_t calls;

		chance_begin(seed, number);
		fuzz_number = number;
		size = mutate_case(number);
		fuzz_check(pwrite(fd, work, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size));
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		most = held;
		if (trace_open(&trace, path)) {
			refused++;
		} else {
			calls = walk(&trace, size) + (texts(&trace) & 0);
			check_ranges(&trace);
			if (number < (uint64_t)nfiles)
				whole[file] = calls;
			else
				calls == whole[file] ? full++ : part++;
		}
		trace_close(&trace);
		fuzz_check(!held);
		fuzz_check(most <= TIMES * (size < LEAST ? LEAST : size));
	}
	printf("cases %llu refused %llu part %llu full %llu\n", (unsigned long long)count,
	       (unsigned long long)refused, (unsigned long long)part, (unsigned long long)full);
	return 0;
}
