/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace by its header alone, and prints what is in it, a record a
 * line; whatever the format forbids ends it with a message and status 1.
 * It is no reader to learn from: it trusts the file's own sizes.
 */
#include <cuaudit/trace.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 1 << 20 };

static const char *file;
static const struct cuaudit_trace_header *header;
static uint64_t size, nchunks, calls, bytes, filtered, again;
static const struct cuaudit_trace_function *functions[4096];
static const struct cuaudit_trace_library *libraries[MANY];
static const struct cuaudit_trace_site *sites[MANY];
static const struct cuaudit_trace_thread *threads[MANY];
static const struct cuaudit_trace_callers *stacks[MANY];
static const struct cuaudit_trace_layout *layouts[MANY];
static uint64_t calls_of[MANY], ended_at[MANY];

static void bad(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("bad: ");
	vprintf(format, arguments);
	printf("\n");
	exit(1);
}

static uint64_t ns(uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * header->clock_mult) >> header->clock_shift);
}

static void keep(const void **table, uint64_t index, const void *record, const char *what)
{
	if (index >= MANY)
		bad("%s %llu", what, (unsigned long long)index);
	table[index] = record;
}

static void describe(const struct cuaudit_trace_record *record)
{
	const void *at = record;
	const struct cuaudit_trace_function *function = at;
	const struct cuaudit_trace_library *library = at;
	const struct cuaudit_trace_site *site = at;
	const struct cuaudit_trace_thread *thread = at;
	const struct cuaudit_trace_kernel *kernel = at;
	const struct cuaudit_trace_error *error = at;
	const struct cuaudit_trace_range_name *name = at;
	const struct cuaudit_trace_callers *callers = at;
	const struct cuaudit_trace_driver *driver = at;
	const struct cuaudit_trace_mark *mark = at;
	const struct cuaudit_trace_layout *layout = at;
	const struct cuaudit_trace_python *python = at;

	switch (record->type) {
	case CUAUDIT_TRACE_FUNCTION:
		if (function->slot >= 4096)
			bad("slot %u", function->slot);
		functions[function->slot] = function;
		printf("function %u %s %s id %d driver %u steps %u\n", function->slot,
		       (const char *)(function + 1),
		       (const char *)(function + 1) + strlen((const char *)(function + 1)) + 1,
		       function->id, function->driver, function->nsteps);
		break;
	case CUAUDIT_TRACE_LIBRARY:
		keep((const void **)libraries, library->index, library, "library");
		printf("library %u %s base %llx id %u\n", library->index,
		       (const char *)(library + 1), (unsigned long long)library->base,
		       library->id_size);
		break;
	case CUAUDIT_TRACE_SITE:
		if (!functions[site->slot] || (site->library && !libraries[site->library]))
			bad("site %u of nothing", site->number);
		keep((const void **)sites, site->number, site, "site");
		printf("site %u %s library %u caller %llx\n", site->number,
		       (const char *)(functions[site->slot] + 1), site->library,
		       (unsigned long long)site->caller);
		break;
	case CUAUDIT_TRACE_THREAD:
		keep((const void **)threads, thread->number, thread, "thread");
		printf("thread %u tid %d %s%s\n", thread->number, thread->tid, thread->name,
		       thread->end_ticks ? " ended" : "");
		break;
	case CUAUDIT_TRACE_KERNEL:
		printf("kernel %llx %s\n", (unsigned long long)kernel->handle,
		       (const char *)(kernel + 1));
		break;
	case CUAUDIT_TRACE_CALLERS:
		keep((const void **)stacks, callers->number, callers, "stack");
		printf("stack %u frames %u libraries", callers->number, callers->nframes);
		for (uint32_t i = 0; i < callers->nframes; i++)
			printf(" %u", ((const struct cuaudit_trace_frame *)(callers + 1))[i].library);
		printf("\n");
		break;
	case CUAUDIT_TRACE_DRIVER:
		printf("driver %u version %u %s\n", driver->index, driver->version,
		       (const char *)(driver + 1));
		break;
	case CUAUDIT_TRACE_LAYOUT:
		keep((const void **)layouts, layout->number, layout, "layout");
		if (sizeof(*layout) + layout->nparameters * sizeof(struct cuaudit_trace_parameter) >
		    record->size)
			bad("layout %u has no room", layout->number);
		printf("layout %u parameters %u\n", layout->number, layout->nparameters);
		break;
	case CUAUDIT_TRACE_PYTHON:
		printf("python %u %s %s:%u\n", python->number, (const char *)(python + 1),
		       (const char *)(python + 1) + strlen((const char *)(python + 1)) + 1,
		       python->line);
		break;
	case CUAUDIT_TRACE_ERROR:
		printf("error %d %s\n", error->result, (const char *)(error + 1));
		break;
	case CUAUDIT_TRACE_RANGE_NAME:
		printf("name %u %s\n", name->kind, (const char *)(name + 1));
		break;
	case CUAUDIT_TRACE_MARK:
		printf("mark thread %u %s\n", mark->thread, (const char *)(mark + 1));
		break;
	default:
		bad("description %u", record->type);
	}
}

static void describe_all(uint64_t from, uint64_t end)
{
	while (from + sizeof(struct cuaudit_trace_record) <= end) {
		const struct cuaudit_trace_record *record = (const void *)(file + from);

		if (!record->type)
			return;
		if (record->size < sizeof(*record) || record->size % CUAUDIT_TRACE_ALIGN ||
		    record->size > end - from)
			bad("description's size %u at %llu", record->size, (unsigned long long)from);
		describe(record);
		from += record->size;
	}
}

static void print_bytes(const unsigned char *at, unsigned int count)
{
	printf("0x");
	while (count--)
		printf("%02x", at[count]);
}

static void print_parameters(uint32_t number, const unsigned char *at, uint32_t bytes)
{
	const struct cuaudit_trace_parameter *parameters;

	if (number == CUAUDIT_TRACE_NO_LAYOUT && !bytes) {
		printf("?");
		return;
	}
	if (number >= MANY || !layouts[number])
		bad("layout %u", number);
	parameters = (const void *)(layouts[number] + 1);
	for (uint32_t i = 0; i < layouts[number]->nparameters; i++)
		if (parameters[i].offset + parameters[i].size <= bytes) {
			printf(",");
			print_bytes(at + parameters[i].offset, parameters[i].size);
		}
}

static void print_arguments(const struct cuaudit_trace_function *function, const unsigned char *at,
			    const unsigned char *end)
{
	unsigned int mask = 0xffff, bit = 0;

	for (uint32_t i = 0; i < function->nsteps; i++)
		if (function->steps[i].kind > CUAUDIT_TRACE_VALUE && !bit++) {
			mask = at[0] | (unsigned int)at[1] << 8;
			at += 2;
		}
	bit = 0;
	for (uint32_t i = 0; i < function->nsteps; i++) {
		struct cuaudit_trace_step step = function->steps[i];
		unsigned int count, cut;

		if (step.kind == CUAUDIT_TRACE_NOTHING)
			continue;
		printf(" %u:", step.word);
		if (step.kind > CUAUDIT_TRACE_VALUE && !(mask & 1u << bit++)) {
			printf("-");
			continue;
		}
		if (step.kind <= CUAUDIT_TRACE_DEREF) {
			print_bytes(at, step.size);
			at += step.size;
			continue;
		}
		count = at[0] | (unsigned int)at[1] << 8;
		cut = count & 0x8000;
		count &= 0x7fff;
		at += 2;
		if (step.kind == CUAUDIT_TRACE_PARAMETERS) {
			uint32_t layout;

			memcpy(&layout, at, sizeof(layout));
			at += sizeof(layout);
			print_parameters(layout, at, count);
			at += count;
		} else if (step.kind == CUAUDIT_TRACE_TEXT) {
			printf("\"%.*s\"", (int)count, (const char *)at);
			at += count;
		} else {
			for (; count; count--, at += step.size) {
				printf(",");
				print_bytes(at, step.size);
			}
		}
		printf("%s", cut ? "..." : "");
	}
	if (at > end)
		bad("arguments of %zu bytes too many", (size_t)(at - end));
	for (; at < end; at++)
		if (*at)
			bad("bytes behind the arguments");
	if (end - at >= 8)
		bad("words behind the arguments");
}

static const uint64_t *arguments_of(const uint64_t *record)
{
	const uint64_t *at = record + 2, *end = record + (*record & 255);
	unsigned int flags = *record >> 8 & 255;

	at += (flags & CUAUDIT_TRACE_LONG ? 2 : 0) + !!(flags & CUAUDIT_TRACE_STATUS) +
	      !!(flags & CUAUDIT_TRACE_CORRELATION) + !!(flags & CUAUDIT_TRACE_STACK);
	if ((end - at) * 8 > CUAUDIT_TRACE_AGAIN_MOST)
		bad("%zu bytes said again", (size_t)(end - at) * 8);
	return at;
}

static void read_calls(const struct cuaudit_trace_chunk *chunk, uint64_t room)
{
	const uint64_t *at = (const uint64_t *)(chunk + 1);
	const uint64_t *end = (const uint64_t *)((const char *)chunk + room);
	uint64_t ticks = chunk->base_ticks, correlation = chunk->base_correlation, count = 0;
	const uint64_t *said_since = at;
	uint32_t thread = chunk->thread;
	bool *is_record = calloc(room / 8, sizeof(*is_record));

	for (; at < end && *at; at += *at & 255) {
		uint64_t delta = at[0] >> 32, took = at[1] & UINT32_MAX, status = 0, words = *at & 255;
		uint32_t flags = at[0] >> 8 & 255, site = (uint32_t)(at[1] >> 32);
		const uint64_t *more = at + 2;
		const uint64_t *said = at;
		const char *stack = "";
		const struct cuaudit_trace_function *function;

		if (words < 1 || words > (uint64_t)(end - at))
			bad("a call of %u words", (unsigned int)words);
		if (words == 1) {
			flags = 0;
			delta = at[0] >> 42;
			took = at[0] >> 24 & 0x3ffff;
		}
		if (words > 1 && flags & CUAUDIT_TRACE_NEXT_THREAD) {
			if (flags != CUAUDIT_TRACE_NEXT_THREAD || words != CUAUDIT_TRACE_NEXT_WORDS)
				bad("a change of threads");
			thread = (uint32_t)at[CUAUDIT_TRACE_NEXT_NUMBER];
			ticks = at[CUAUDIT_TRACE_NEXT_TICKS];
			correlation = at[CUAUDIT_TRACE_NEXT_CORRELATION];
			said_since = at;
			continue;
		}
		if (words == 1) {
			said -= at[0] >> 8 & 0xffff;
			if (!(header->incompatible & CUAUDIT_TRACE_HAS_AGAIN))
				bad("one said again without a word in the header");
			if (said < said_since || !is_record[said - (const uint64_t *)(chunk + 1)])
				bad("said again what is no record");
			site = (uint32_t)(said[1] >> 32);
			again++;
		} else {
			is_record[at - (const uint64_t *)(chunk + 1)] = true;
		}
		if (flags & CUAUDIT_TRACE_LONG) {
			delta = *more++;
			took = *more++;
		}
		if (flags & CUAUDIT_TRACE_STATUS)
			status = *more++;
		correlation += words == 1 ? 1 :
			       (uint64_t)(int64_t)(int16_t)((at[0] >> 16 & 0xffff) -
							    (correlation & 0xffff));
		if (flags & CUAUDIT_TRACE_CORRELATION)
			correlation = *more++;
		if (flags & CUAUDIT_TRACE_STACK) {
			if (*more >= MANY || !stacks[*more])
				bad("stack %llu", (unsigned long long)*more);
			stack = " stack";
			more++;
		}
		ticks += delta;
		if (site >= MANY || !sites[site])
			bad("site %u", site);
		if (thread >= MANY || !threads[thread])
			bad("thread %u", thread);
		if (ticks < ended_at[thread])
			bad("thread %u goes back", thread);
		ended_at[thread] = ticks;
		calls_of[thread]++;
		function = functions[sites[site]->slot];
		printf("call thread %u %s result %d depth %u status %u id %llu from %lld "
		       "took %llu site %u%s", thread, (const char *)(function + 1),
		       (int32_t)status, (unsigned int)(status >> 32 & 0xffff),
		       (unsigned int)(status >> 48), (unsigned long long)correlation,
		       (long long)ns(ticks - took - header->start_ticks),
		       (unsigned long long)ns(took), site, stack);
		if (said != at && said[0] >> 8 & CUAUDIT_TRACE_WITH_ARGUMENTS)
			print_arguments(function, (const unsigned char *)arguments_of(said),
					(const unsigned char *)(said + (*said & 255)));
		else if (flags & CUAUDIT_TRACE_WITH_ARGUMENTS)
			print_arguments(function, (const unsigned char *)more,
					(const unsigned char *)(at + words));
		else if (said == at && more != at + words)
			bad("words too many");
		printf("\n");
		count++;
		bytes += words * 8;
	}
	if (chunk->records && chunk->records != count)
		bad("%llu calls, not %llu", (unsigned long long)count,
		    (unsigned long long)chunk->records);
	for (int i = 0; i < CUAUDIT_TRACE_OPEN; i++)
		if (chunk->open[i].ticks)
			printf("open thread %u depth %u %s\n", thread, chunk->open[i].depth,
			       (const char *)(functions[sites[chunk->open[i].site]->slot] + 1));
	filtered += chunk->filtered;
	calls += count;
	free(is_record);
}

static int earlier(const void *a, const void *b)
{
	const struct cuaudit_trace_chunk *x = *(const struct cuaudit_trace_chunk *const *)a;
	const struct cuaudit_trace_chunk *y = *(const struct cuaudit_trace_chunk *const *)b;

	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static uint64_t room_of(const void *chunk)
{
	uint64_t left = size - (uint64_t)((const char *)chunk - file);

	return left < header->chunk ? left : header->chunk;
}

int main(int argc, char **argv)
{
	const struct cuaudit_trace_chunk **chunks;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return 2;
	size = (uint64_t)status.st_size;
	if (size < CUAUDIT_TRACE_HEADER)
		bad("%llu bytes", (unsigned long long)size);
	file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	header = (const void *)file;
	if (memcmp(header->magic, CUAUDIT_TRACE_MAGIC, 8) || header->version != 1 ||
	    header->order != CUAUDIT_TRACE_ORDER || header->incompatible & ~(uint64_t)(CUAUDIT_TRACE_HAS_AGAIN | CUAUDIT_TRACE_HAS_PARAMETERS | CUAUDIT_TRACE_HAS_PYTHON))
		bad("no header");
	describe_all(CUAUDIT_TRACE_HEADER, size < header->chunk ? size : header->chunk);
	chunks = calloc(size / header->chunk + 1, sizeof(void *));
	for (uint64_t at = header->chunk; at + sizeof(**chunks) <= size; at += header->chunk) {
		const struct cuaudit_trace_chunk *chunk = (const void *)(file + at);

		if (chunk->kind > CUAUDIT_TRACE_CALLS)
			bad("chunk of kind %u", chunk->kind);
		if (chunk->kind)
			chunks[nchunks++] = chunk;
	}
	qsort(chunks, nchunks, sizeof(*chunks), earlier);
	for (uint64_t i = 0; i < nchunks; i++)
		if (chunks[i]->kind == CUAUDIT_TRACE_DESCRIPTIONS)
			describe_all((uint64_t)((const char *)(chunks[i] + 1) - file),
				     (uint64_t)((const char *)chunks[i] - file) + room_of(chunks[i]));
	for (uint64_t i = 0; i < nchunks; i++) {
		if (i && chunks[i]->sequence == chunks[i - 1]->sequence)
			bad("a sequence twice");
		if (chunks[i]->kind == CUAUDIT_TRACE_CALLS)
			read_calls(chunks[i], room_of(chunks[i]));
	}
	for (uint32_t i = 0; i < MANY; i++)
		if (threads[i])
			printf("calls of thread %u: %llu\n", i, (unsigned long long)calls_of[i]);
	printf("lost");
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		printf(" %llu", (unsigned long long)header->lost[i]);
	if (header->ending)
		printf("\nending %u status %u", header->ending, header->status);
	printf("\nprocess %u of %u rank %d %s %s%s error %llu\n", header->pid, header->parent,
	       header->rank, header->program, header->command,
	       header->flags & CUAUDIT_TRACE_FINISHED ? " finished" : "",
	       (unsigned long long)header->error);
	printf("again %llu\n", (unsigned long long)again);
	printf("total %llu calls %llu bytes %llu filtered %llu chunks %llu of file\n",
	       (unsigned long long)calls, (unsigned long long)bytes,
	       (unsigned long long)filtered, (unsigned long long)nchunks,
	       (unsigned long long)size);
	return 0;
}
