/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread writes its calls with. */
#include "hooks/modules/trace/trace_writer.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_error.h"
#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_kernel.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_range_record.h"
#include "hooks/modules/trace/trace_ready.h"
#include "hooks/modules/trace/trace_record.h"
#include "hooks/modules/trace/trace_stack.h"
#include "util/buffer.h"
#include "util/globs.h"

uint32_t trace_writer_key;

static const char *wanted;
static bool print_path;
static struct trace_writer *writers;
static uint32_t numbers;
static uint64_t written;	/* calls in chunks that are full or left */
static uint64_t left_recorded;	/* calls whose hook was left, and that have a record */

int trace_writer_setup(const struct cuaudit_module *owner, const char *threads, bool print)
{
	int key = cuaudit_thread_key(sizeof(struct trace_writer), owner);

	if (key < 0)
		return key;
	trace_writer_key = (uint32_t)key;
	wanted = threads;
	print_path = print;
	return 0;
}

/* Names of threads that were not wanted, for a glob that matches none. */
enum { UNWANTED = 8 };
static char unwanted[UNWANTED][CUAUDIT_THREAD_NAME];
static _Atomic uint32_t nunwanted;
static _Atomic bool matched;

static void note_unwanted(const char *name)
{
	uint32_t number = atomic_fetch_add_explicit(&nunwanted, 1, memory_order_relaxed);

	if (number < UNWANTED)
		memcpy(unwanted[number], name, sizeof(unwanted[number]) - 1);
}

static bool is_wanted(int32_t tid)
{
	char name[CUAUDIT_THREAD_NAME], number[12];
	struct buffer out = { number, sizeof(number), 0 };

	if (!wanted)
		return true;
	buffer_signed(&out, tid);
	buffer_end(&out);
	cuaudit_thread_name(name);
	if (!glob_matches(wanted, strlen(wanted), name) && strcmp(wanted, number) != 0) {
		note_unwanted(name);
		return false;
	}
	atomic_store_explicit(&matched, true, memory_order_relaxed);
	return true;
}

void trace_writer_report_unmatched(void)
{
	const char *names[UNWANTED + 1] = { NULL }, *near;

	if (!wanted || matched || !nunwanted)
		return;
	for (uint32_t i = 0; i < UNWANTED && i < nunwanted; i++)
		names[i] = unwanted[i];
	near = cuaudit_nearest(wanted, names);
	cuaudit_log(CUAUDIT_WARN, "trace: thread=%s matched no thread; %s %s%s", wanted,
		    near ? "did you mean" : "the first was called", near ? near : names[0],
		    near ? "?" : "");
}

bool trace_writer_wanted(void)
{
	struct trace_writer *writer = wanted ? cuaudit_thread_block(trace_writer_key) : NULL;

	if (writer && !writer->tid) {
		writer->tid = (int32_t)syscall(SYS_gettid);
		writer->off = !is_wanted(writer->tid);
	}
	return !writer || !writer->off;
}

static bool describe(const struct trace_writer *writer, uint64_t end, uint32_t *why)
{
	struct cuaudit_trace_thread *record = trace_describe(sizeof(*record), 0, why);

	if (!record)
		return false;
	record->number = writer->number;
	record->tid = writer->tid;
	cuaudit_thread_name(record->name);
	record->start_ticks = writer->start;
	record->end_ticks = end;
	trace_describe_publish(record, CUAUDIT_TRACE_THREAD);
	return true;
}

static void insert(struct trace_writer *writer)
{
	writer->next = writers;
	writer->link = &writers;
	if (writers)
		writers->link = &writer->next;
	/* A child of fork may follow the list as it is at any time. */
	atomic_signal_fence(memory_order_release);
	writers = writer;
}

static void take_out(struct trace_writer *writer)
{
	*writer->link = writer->next;
	if (writer->next)
		writer->next->link = writer->link;
}

static uint64_t *limit_of(const struct trace_writer *writer)
{
	return (uint64_t *)((char *)writer->chunk.at + CUAUDIT_TRACE_CHUNK - TRACE_MOST);
}

static void write_to(struct trace_writer *writer, uint64_t used, uint64_t ticks,
		     uint64_t correlation)
{
	writer->at = (uint64_t *)((char *)writer->chunk.at + used);
	writer->limit = limit_of(writer);
	writer->end = ticks;
	writer->correlation = correlation;
	trace_site_forget(&writer->sites);
}

/* What another thread left is enough for many a one. */
static bool take_over(struct trace_writer *writer, uint64_t ticks, uint64_t correlation)
{
	uint64_t words[CUAUDIT_TRACE_NEXT_WORDS] = {
		[CUAUDIT_TRACE_NEXT_FIRST] = CUAUDIT_TRACE_NEXT_WORDS |
					     CUAUDIT_TRACE_NEXT_THREAD << TRACE_RECORD_FLAGS,
		[CUAUDIT_TRACE_NEXT_NUMBER] = writer->number,
		[CUAUDIT_TRACE_NEXT_TICKS] = ticks,
		[CUAUDIT_TRACE_NEXT_NS] = trace_file_clocks(ticks).ns,
		[CUAUDIT_TRACE_NEXT_CORRELATION] = correlation,
	};
	uint32_t used;
	uint64_t *at;

	if (!trace_chunk_take_over(&writer->chunk, &writer->calls, &used))
		return false;
	written -= writer->calls;
	at = (uint64_t *)((char *)writer->chunk.at + used);
	memcpy(at + 1, words + 1, sizeof(words) - sizeof(*words));
	at[CUAUDIT_TRACE_NEXT_WORDS] = 0;
	/* Pairs with the reader, as of a call. */
	__atomic_store_n(at, words[0], __ATOMIC_RELEASE);
	write_to(writer, used + sizeof(words), ticks, correlation);
	return true;
}

static void count(enum cuaudit_trace_loss why, uint64_t calls)
{
	uint64_t counted = trace_file_losses(why);

	if (calls > counted)
		trace_file_lost(why, calls - counted);
}

/* What the core counts; the file of a process that is killed has it up to the last chunk's begin. */
static void count_unseen(void)
{
	uint64_t hooks;

	count(CUAUDIT_TRACE_LOST_NESTED, cuaudit_unhooked_calls());
	trace_range_count();
	hooks = cuaudit_unwound_hooks();
	count(CUAUDIT_TRACE_LOST_UNWOUND, hooks > left_recorded ? hooks - left_recorded : 0);
}

static bool begin_chunk(struct trace_writer *writer, uint64_t ticks, uint64_t correlation,
			uint32_t *why)
{
	struct cuaudit_trace_open open[CUAUDIT_TRACE_OPEN] = { { .ticks = 0 } };

	count_unseen();
	if (writer->chunk.at) {
		memcpy(open, writer->chunk.at->open, sizeof(open));
		memset(writer->chunk.at->open, 0, sizeof(open));
		written += writer->calls;
		writer->limit = NULL;
		trace_chunk_end(&writer->chunk, writer->calls);
		writer->calls = 0;
	}
	if (!trace_chunk_begin(&writer->chunk, CUAUDIT_TRACE_CALLS, writer->number, ticks,
			       correlation, why))
		return false;
	memcpy(writer->chunk.at->open, open, sizeof(open));
	write_to(writer, sizeof(*writer->chunk.at), ticks, correlation);
	return true;
}

static bool begin(struct trace_writer *writer, const struct cuaudit_call *call, uint64_t ticks,
		  uint32_t *why)
{
	*why = TRACE_FILE_ENDED;
	if (!trace_writer_wanted())
		return false;
	writer->tid = (int32_t)syscall(SYS_gettid);
	writer->start = ticks;
	writer->number = numbers + 1;
	if (!describe(writer, 0, why)) {
		writer->number = 0;
		return false;
	}
	numbers++;
	insert(writer);
	return take_over(writer, ticks, call->correlation) ||
	       begin_chunk(writer, ticks, call->correlation, why);
}

__attribute__((noinline))
struct trace_writer *trace_writer(const struct cuaudit_call *call, uint64_t ticks, uint32_t *why)
{
	struct trace_writer *writer = cuaudit_thread_block(trace_writer_key);
	struct trace_lock saved;
	bool good, first;

	*why = writer ? (uint32_t)TRACE_FILE_ENDED : (uint32_t)CUAUDIT_TRACE_LOST_MEMORY;
	if (!writer || writer->off)
		return NULL;
	if (__builtin_expect(writer->stale, 0) && writer->chunk.at) {
		writer->limit = limit_of(writer);
		if (writer->at < writer->limit && trace_range_begin(writer, call))
			return writer;
		writer->limit = NULL;
	}
	if (writer->at < writer->limit)
		return writer;
	if (trace_file_stopped(why))
		return NULL;
	trace_lock(&saved);
	first = !writer->number;
	if (first)
		good = begin(writer, call, ticks, why);
	else
		good = begin_chunk(writer, ticks > writer->end ? ticks : writer->end,
				   call->correlation, why);
	/* What another thread left may be too little for what is open; a chunk is not. */
	if (good && !trace_range_begin(writer, call))
		good = begin_chunk(writer, writer->end, call->correlation, why) &&
		       trace_range_begin(writer, call);
	trace_unlock(&saved);
	if (good)
		trace_range_rest();
	/* Of a first chunk, most threads use little. */
	if (good && writer->chunk.unpopulated && !first)
		trace_file_populate(writer->chunk.at);
	return good ? writer : NULL;
}

__attribute__((noinline))
const struct trace_site *trace_writer_site(struct trace_writer *writer,
					   const struct cuaudit_call *call, uint32_t *why)
{
	uint32_t generation = *cuaudit_generation, number;
	struct trace_site *site = trace_site_seek(&writer->sites, call->caller, call->function,
						  generation);
	struct trace_lock saved;
	const struct trace_plan *plan;
	bool good;

	if (!trace_site_differs(site, call->caller, call->function, generation))
		return site;
	trace_lock(&saved);
	plan = trace_plan(call->function);
	good = trace_describe_site(call, plan, &number, why);
	if (good)
		trace_site_begin(&writer->sites, site, call->caller, call->function, generation,
				 number, plan);
	trace_unlock(&saved);
	return good ? site : NULL;
}

/* A call's id and end, from those of the record before. */
static void follow(struct trace_writer *writer, const uint64_t *record)
{
	uint64_t first = record[0], flags = first >> TRACE_RECORD_FLAGS & 255;
	uint64_t delta = first >> TRACE_RECORD_DELTA;
	const uint64_t *more = record + TRACE_RECORD_WORDS;

	if ((first & 255) == 1) {
		writer->correlation++;
		writer->end += first >> TRACE_AGAIN_DELTA;
		writer->calls++;
		return;
	}
	if (flags & CUAUDIT_TRACE_NEXT_THREAD) {
		writer->correlation = record[CUAUDIT_TRACE_NEXT_CORRELATION];
		writer->end = record[CUAUDIT_TRACE_NEXT_TICKS];
		return;
	}
	if (flags & CUAUDIT_TRACE_RANGE) {
		writer->end += flags & CUAUDIT_TRACE_LONG ? more[0] : delta;
		return;
	}
	if (flags & CUAUDIT_TRACE_LONG) {
		delta = more[0];
		more += 2;
	}
	more += flags & CUAUDIT_TRACE_STATUS ? 1 : 0;
	writer->correlation += (uint64_t)(int64_t)(int16_t)((first >> TRACE_RECORD_CORRELATION) -
							    writer->correlation);
	if (flags & CUAUDIT_TRACE_CORRELATION)
		writer->correlation = *more;
	writer->end += delta;
	writer->calls++;
}

/*
 * The chunk tells how far it is written: its records are there or not, whereas of what the
 * writer remembers a part may be from before the last one. Of a site's last record, too.
 */
static void look_again(struct trace_writer *writer)
{
	const struct cuaudit_trace_chunk *chunk = writer->chunk.at;
	const uint64_t *at = (const uint64_t *)(chunk + 1);
	const uint64_t *end = (const uint64_t *)((const char *)chunk + CUAUDIT_TRACE_CHUNK);

	writer->end = chunk->base_ticks;
	writer->correlation = chunk->base_correlation;
	writer->calls = 0;
	for (; at < end && *at; at += *at & 255)
		follow(writer, at);
	writer->at = (uint64_t *)(uintptr_t)at;
	trace_site_forget(&writer->sites);
}

/* Locked. Where the file was cut, there may be no page to look at. */
static bool is_writing(const struct trace_writer *writer)
{
	uint32_t why;

	return writer->number && writer->chunk.at && !trace_file_ended(&why);
}

void trace_writer_hook_unwound(void *block, uint64_t correlation)
{
	struct trace_writer *writer = block;
	struct trace_lock saved;
	uint64_t calls;

	trace_lock(&saved);
	if (is_writing(writer)) {
		calls = writer->calls;
		look_again(writer);
		if (writer->calls != calls || writer->correlation == correlation)
			left_recorded++;
	}
	trace_unlock(&saved);
}

/* A thread that makes no call after such a one. */
static void look_if_left(struct trace_writer *writer)
{
	const char *end = (const char *)writer->chunk.at + CUAUDIT_TRACE_CHUNK;

	if (is_writing(writer) && (const char *)writer->at < end && *writer->at)
		look_again(writer);
}

static uint32_t used_of(const struct trace_writer *writer)
{
	return (uint32_t)((const char *)writer->at - (const char *)writer->chunk.at);
}

void trace_writer_thread_exit(void *block)
{
	struct trace_writer *writer = block;
	uint32_t why;
	struct trace_lock saved;

	if (!writer->number)
		return;
	trace_lock(&saved);
	look_if_left(writer);
	if (writer->chunk.at) {
		memset(writer->chunk.at->open, 0, sizeof(writer->chunk.at->open));
		written += writer->calls;
		writer->limit = NULL;
		/* The file that has ended was cut. */
		if (trace_file_stopped(&why) && why == TRACE_FILE_ENDED)
			trace_room_drop(&writer->chunk);
		else
			trace_chunk_leave(&writer->chunk, writer->calls, used_of(writer));
	}
	if (!trace_file_stopped(&why))
		describe(writer, cuaudit_ticks(), &why);
	take_out(writer);
	writer->number = 0;
	trace_unlock(&saved);
}

static const char *calls_are(uint64_t count)
{
	return count == 1 ? "call is" : "calls are";
}

/* Losses are always reported. */
static void say(const char *path, uint64_t calls)
{
	const char *const reasons[] = {
		[CUAUDIT_TRACE_LOST_SIZE] = "the file has its full size",
		[CUAUDIT_TRACE_LOST_DISK] = path ? "the disk took no more" : "it cannot be written",
		[CUAUDIT_TRACE_LOST_MEMORY] = "there was no memory",
		[CUAUDIT_TRACE_LOST_NESTED] = "not hooked: made while a hook ran, with an "
					     "unaligned stack, or without memory for their thread",
		[CUAUDIT_TRACE_LOST_RING] = "written over by later ones",
		[CUAUDIT_TRACE_LOST_UNWOUND] = "a signal handler left the hook by siglongjmp",
	};

	if (path && trace_file_is_gone())
		cuaudit_log(CUAUDIT_WARN, "trace: %s was removed or replaced while the process ran, "
			    "with %llu call%s; leave it until the process has ended", path,
			    (unsigned long long)calls, calls == 1 ? "" : "s");
	else
		cuaudit_log(print_path && path ? CUAUDIT_WARN : CUAUDIT_INFO,
			    "trace: %llu call%s in %s", (unsigned long long)calls,
			    calls == 1 ? "" : "s", path ? path : "no file");
	if (cuaudit_unwound_calls())
		cuaudit_log(CUAUDIT_INFO, "trace: %llu %s not in %s: left by longjmp, an exception "
			    "or a coroutine, unless they ended on another thread",
			    (unsigned long long)cuaudit_unwound_calls(),
			    calls_are(cuaudit_unwound_calls()), path ? path : "any file");
	for (uint32_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		uint64_t lost = trace_file_losses(i);

		if (lost)
			cuaudit_log(i == CUAUDIT_TRACE_LOST_RING ? CUAUDIT_INFO : CUAUDIT_WARN,
				    "trace: %llu %s not in %s: %s", (unsigned long long)lost,
				    calls_are(lost), path ? path : "any file", reasons[i]);
	}
}

void trace_writer_finish(void)
{
	struct trace_writer *own = cuaudit_thread_block(trace_writer_key);
	struct trace_chunk none = { .at = NULL };
	uint64_t calls = written, lost = 0;
	struct trace_lock saved;
	const char *path;
	uint32_t used;

	trace_ready_finish();
	if (writers)
		trace_range_rest();
	trace_lock(&saved);
	if (own)
		look_if_left(own);
	for (struct trace_writer *writer = writers; writer; writer = writer->next)
		calls += writer->calls;
	calls -= trace_file_losses(CUAUDIT_TRACE_LOST_RING);
	count_unseen();
	if (own && own->chunk.at) {
		own->limit = NULL;
		__atomic_store_n(&own->chunk.at->records, own->calls, __ATOMIC_RELAXED);
		used = trace_room_last(&own->chunk, used_of(own));
	} else {
		used = trace_room_last(&none, 0);
	}
	path = trace_file_finish(used ? used : trace_describe_last());
	trace_unlock(&saved);
	for (uint32_t i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		lost |= trace_file_losses(i);
	if (path || lost)
		say(path, calls);
}

void trace_writer_forked(void)
{
	struct trace_writer *own = cuaudit_thread_block(trace_writer_key);
	struct trace_lock saved;

	trace_lock_forked();
	trace_lock(&saved);
	for (struct trace_writer *writer = writers; writer; writer = writer->next)
		trace_room_drop(&writer->chunk);
	if (own)
		memset(own, 0, sizeof(*own));
	writers = NULL;
	numbers = 0;
	written = left_recorded = 0;
	trace_chunk_forked();
	trace_describe_forked();
	trace_error_forked();
	trace_kernel_forked();
	trace_layout_forked();
	trace_range_forked();
	trace_stack_forked();
	trace_file_forked();
	trace_unlock(&saved);
}
