/* SPDX-License-Identifier: Apache-2.0 */
/* The trace hook: a record of every call, in a file that outlives the process. */
#include <stdatomic.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace_file.h"
#include "hooks/modules/trace_options.h"
#include "hooks/modules/trace_plan.h"
#include "hooks/modules/trace_writer.h"

enum { OUTERMOST = -(1 << 20) };	/* calls are seen as the program sees them */

/* Writes the arguments, then the first two words, behind which the record's others are. */
static inline __attribute__((always_inline))
void commit(struct trace_writer *writer, const struct trace_site *site,
	    const struct cuaudit_call *call, uint64_t *to, uint64_t ticks, uint64_t delta,
	    uint64_t flags)
{
	uint64_t *at = writer->at;

	if (site->plan) {
		char *last = trace_plan_copy(site->plan, call, (char *)to);

		flags |= CUAUDIT_TRACE_WITH_ARGUMENTS;
		to += (size_t)(last - (char *)to + 7) / 8;
	}
	at[1] = ticks | (uint64_t)site->number << 32;
	/* Pairs with the reader: the record is there with its first word. */
	__atomic_store_n(at, (uint64_t)(to - at) | flags << 8 |
			 (call->correlation & 0xffff) << 16 | delta << 32, __ATOMIC_RELEASE);
	writer->at = to;
	writer->correlation = call->correlation;
	writer->calls++;
}

/* One that needs more than two words. */
static __attribute__((noinline))
void record_long(struct trace_writer *writer, const struct trace_site *site,
		 const struct cuaudit_call *call, uint64_t start, uint64_t end)
{
	uint64_t ticks = end - start, delta = end - writer->end, flags = 0;
	bool skipped = call->flags & CUAUDIT_CALL_SKIPPED;
	uint64_t *to = writer->at + 2;

	/* The counter of another processor may be a little behind. */
	if ((int64_t)ticks < 0)
		ticks = 0;
	/* So may a call that a handler interrupted, and called, just after the clock was read. */
	if ((int64_t)delta < 0)
		delta = 0;
	writer->end += delta;
	if ((ticks | delta) >> 32) {
		flags |= CUAUDIT_TRACE_LONG;
		*to++ = delta;
		*to++ = ticks;
		ticks = delta = 0;
	}
	if (call->result || call->depth || skipped) {
		flags |= CUAUDIT_TRACE_STATUS;
		*to++ = (uint32_t)call->result | (uint64_t)(call->depth & 0xffff) << 32 |
			(uint64_t)(skipped ? CUAUDIT_TRACE_SKIPPED : 0) << 48;
	}
	if (call->correlation - writer->correlation + 0x8000 > 0xffff) {
		flags |= CUAUDIT_TRACE_CORRELATION;
		*to++ = call->correlation;
	}
	commit(writer, site, call, to, ticks, delta, flags);
}

/* There is room for any record. */
static inline __attribute__((always_inline))
void record(struct trace_writer *writer, const struct trace_site *site,
	    const struct cuaudit_call *call, uint64_t start, uint64_t end)
{
	uint64_t ticks = end - start, delta = end - writer->end;

	if (__builtin_expect((ticks | delta |
			      (call->correlation - writer->correlation + 0x8000) << 16) >> 32 |
			     (uint32_t)call->result | call->depth |
			     (call->flags & CUAUDIT_CALL_SKIPPED), 0)) {
		record_long(writer, site, call, start, end);
		return;
	}
	writer->end = end;
	commit(writer, site, call, writer->at + 2, ticks, delta, 0);
}

/* Apart, and called last, so that the common way saves no register. */
static __attribute__((noinline)) void exit_slowly(const struct cuaudit_call *call)
{
	bool skipped = call->flags & CUAUDIT_CALL_SKIPPED;
	uint64_t end = skipped ? cuaudit_ticks() : call->end;
	uint64_t start = skipped ? end : call->start;
	struct trace_writer *writer = trace_writer(call, start);
	struct trace_site *site = writer ? trace_writer_site(writer, call) : NULL;

	if (site)
		record(writer, site, call, start, end);
}

static void on_exit(struct cuaudit_call *call, void *data)
{
	struct trace_writer *writer = call->blocks[trace_writer_key];
	struct trace_site *site;

	(void)data;
	if (__builtin_expect(writer && writer->at < writer->limit &&
			     !(call->flags & CUAUDIT_CALL_SKIPPED), 1)) {
		site = trace_writer_place(writer, call);
		if (__builtin_expect(trace_site_is(site, call), 1)) {
			record(writer, site, call, call->start, call->end);
			return;
		}
	}
	exit_slowly(call);
}

const struct cuaudit_module trace_module;

static int init(const struct cuaudit_options *given)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = OUTERMOST, .name = "trace",
		.exit = on_exit, .flags = CUAUDIT_HOOK_TIMED,
	};
	struct trace_options options;
	int error = trace_options_read(given, &options);

	if (!error)
		error = trace_file_setup(&options.file);
	if (!error)
		error = trace_writer_setup(&trace_module, options.threads);
	if (error)
		return error;
	hook.functions = options.functions;
	hook.include = options.libraries;
	return cuaudit_hook_add(&hook);
}

static void finish(void)
{
	trace_writer_finish();
}

static void forked(void)
{
	trace_writer_forked();
}

static void thread_exit(void *block)
{
	trace_writer_thread_exit(block);
}

const struct cuaudit_module trace_module = {
	.size = sizeof(trace_module),
	.abi = CUAUDIT_ABI,
	.name = "trace",
	.summary = "a record of every call, in a file for cuaudit report and convert",
	.options = trace_option_table,
	.init = init,
	.finish = finish,
	.forked = forked,
	.thread_exit = thread_exit,
};
