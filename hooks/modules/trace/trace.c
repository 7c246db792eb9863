/* SPDX-License-Identifier: Apache-2.0 */
/* The trace hook: a record of every call, in a file that outlives the process. */
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/range.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace/trace_fast_path.h"
#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_kernel.h"
#include "hooks/modules/trace/trace_open.h"
#include "hooks/modules/trace/trace_options.h"
#include "hooks/modules/trace/trace_plan.h"
#include "hooks/modules/trace/trace_range.h"
#include "hooks/modules/trace/trace_ready.h"
#include "hooks/modules/trace/trace_record.h"
#include "hooks/modules/trace/trace_stack.h"
#include "hooks/modules/trace/trace_text.h"
#include "hooks/modules/trace/trace_trigger.h"
#include "hooks/modules/trace/trace_writer.h"
#include "tables/query.h"
#include "util/divide.h"

/* Outside of other hooks: calls are seen as the program sees them. */
enum { TRIGGERS = -(1 << 20), OPENS, RECORDS };

#define unlikely(x) __builtin_expect(!!(x), 0)

static uint64_t least;	/* ticks of a call that is written */
static bool failed_only;	/* calls are written whose result is an error */
static bool filtered;		/* one of both is set */

/* One that a hook answered has no times; the counter of another processor may be behind. */
static __attribute__((noinline)) bool is_left_out(const struct cuaudit_call *call)
{
	uint64_t ticks = call->end - call->start;

	if (failed_only && !query_is_error(call->function->name, cuaudit_call_status(call)))
		return true;
	return least && (ticks < least || (int64_t)ticks < 0 || call->flags & CUAUDIT_CALL_SKIPPED);
}

static bool is_filtered(const struct cuaudit_call *call)
{
	return unlikely(filtered) && is_left_out(call);
}

static int in_range = -1;	/* a selector, -1: none */

static inline bool is_out_of_range(const struct cuaudit_call *call)
{
	return __builtin_expect(in_range >= 0, 0) && !cuaudit_call_in_range(call, in_range);
}

static __attribute__((noinline)) void exit_slowly(const struct cuaudit_call *call)
{
	bool skipped = call->flags & CUAUDIT_CALL_SKIPPED;
	uint64_t end = skipped ? cuaudit_ticks() : call->end;
	uint64_t start = skipped ? end : call->start;
	const struct trace_plan *plan;
	const struct trace_site *site;
	struct trace_writer *writer;
	uint32_t stack, why;
	bool has_stack;

	if (is_out_of_range(call))
		return;
	if (trace_trigger_watch && !trace_trigger_takes(call, end))
		return;
	writer = trace_writer(call, start, &why);
	if (writer && is_filtered(call)) {
		writer->chunk.at->filtered++;
		return;
	}
	site = writer ? trace_writer_site(writer, call, &why) : NULL;
	if (!site) {
		/* One that is not wanted is not missing. */
		trace_file_lost(why, !is_filtered(call));
		return;
	}
	plan = trace_site_cold_of(site)->plan;
	if (plan->after & TRACE_AFTER_KERNEL &&
	    !trace_kernel_is_known(writer, call->words[plan->kernel]) &&
	    !trace_kernel_launched(writer, call->words[plan->kernel], start,
				   cuaudit_call_succeeded(call), &why)) {
		trace_file_lost(why, !is_filtered(call));
		return;
	}
	has_stack = plan->after & TRACE_AFTER_STACK &&
		    trace_stack(writer, call, plan->after & TRACE_AFTER_NATIVE, &stack);
	trace_record(writer, site, call, start, end, has_stack ? &stack : NULL);
}

/* Whether what is to be done besides is done, as of most launches. */
static inline bool is_all_done(struct trace_writer *writer, const struct trace_plan *plan,
			       const struct cuaudit_call *call)
{
	return !plan->after || (plan->after == TRACE_AFTER_KERNEL &&
				 trace_kernel_is_known(writer, call->words[plan->kernel]));
}

/* What is done further is called last, so that no register is saved. */
static __attribute__((hot)) void on_exit(struct cuaudit_call *call, void *data)
{
	struct trace_writer *writer = call->blocks[(uintptr_t)data];
	const struct trace_site *site;

	if (unlikely(!writer || writer->at >= writer->limit || trace_trigger_watch ||
		     in_range >= 0 || is_filtered(call) || call->flags & CUAUDIT_CALL_SKIPPED)) {
		exit_slowly(call);
		return;
	}
	site = trace_site_first(&writer->sites, call->caller, call->function);
	if (unlikely(trace_site_differs(site, call->caller, call->function, *cuaudit_generation) ||
		     !is_all_done(writer, trace_site_cold_of(site)->plan, call))) {
		exit_slowly(call);
		return;
	}
	trace_record(writer, site, call, call->start, call->end, NULL);
}

static void on_exit_text(struct cuaudit_call *call, void *data)
{
	bool skipped = call->flags & CUAUDIT_CALL_SKIPPED;

	(void)data;
	if (is_out_of_range(call))
		return;
	if ((!trace_trigger_watch ||
	     trace_trigger_takes(call, skipped ? cuaudit_ticks() : call->end)) &&
	    !is_filtered(call) && trace_writer_wanted())
		trace_text(call);
}

const struct cuaudit_module trace_module;

static struct trace_options options;

/* What is asked for besides a record of each call. */
static int set_up_more(void)
{
	int error = trace_trigger_setup(TRIGGERS, !options.text);

	if (!error && options.error_text)
		error = cuaudit_error_text_prepare();
	if (error)
		return error;
	if (options.text)
		return cuaudit_kernel_prepare() ?: trace_text_setup();
	trace_plan_setup(options.file.flags & CUAUDIT_TRACE_ARGUMENTS,
			 options.file.incompatible & CUAUDIT_TRACE_HAS_PARAMETERS,
			 options.strings, options.elements);
	error = trace_stack_setup(options.backtrace, options.python, options.frames);
	if (!error && options.file.flags & CUAUDIT_TRACE_ARGUMENTS)
		error = trace_kernel_setup(options.file.incompatible & CUAUDIT_TRACE_HAS_PARAMETERS);
	if (!error && *options.open)
		error = trace_open_setup(options.open, options.in_range, OPENS);
	if (!error && options.ranges)
		error = trace_range_setup();
	return error;
}

static int check(const struct cuaudit_options *given)
{
	int error = trace_options_read(given, &options);

	if (!error && !options.text)
		error = trace_file_check(options.file.name);
	return error ? error : trace_trigger_read(options.start, options.stop);
}

static int init(const struct cuaudit_options *given)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = RECORDS, .name = "trace",
		.flags = CUAUDIT_HOOK_TIMED | CUAUDIT_HOOK_PROVIDERS,
	};
	int error = trace_writer_setup(&trace_module, options.threads, options.print);

	(void)given;
	trace_file_setup(&options.file);
	if (!error)
		error = set_up_more();
	if (error)
		return error;
	least = divide((unsigned __int128)options.least_ns << cuaudit_clock.shift,
		       cuaudit_clock.mult);
	failed_only = options.failed;
	filtered = least || failed_only;
	in_range = options.in_range;
	hook.exit = options.text ? on_exit_text : on_exit;
	hook.data = (void *)(uintptr_t)trace_writer_key;
	hook.functions = options.functions;
	hook.include = options.libraries;
	/* Nothing more than a record of each call is wanted. */
	if (!options.text && !filtered && !options.start && !options.stop && !options.backtrace &&
	    !options.python && in_range < 0)
		error = trace_fast_add(&hook, options.file.flags & CUAUDIT_TRACE_ARGUMENTS);
	else
		error = cuaudit_hook_add(&hook);
	if (!error && !options.text)
		trace_ready_setup();
	return error;
}

static void finish(void)
{
	trace_writer_report_unmatched();
	trace_trigger_report();
	if (options.text)
		trace_text_finish();
	else
		trace_writer_finish();
}

static void forked(void)
{
	trace_trigger_forked();
	trace_writer_forked();
	trace_text_forked();
}

static void process_exit(int status, int by_exit)
{
	trace_file_ending(by_exit ? CUAUDIT_TRACE_BY_EXIT : CUAUDIT_TRACE_BY_QUIT, (uint32_t)status);
}

const struct cuaudit_module trace_module = {
	.size = sizeof(trace_module), .abi = CUAUDIT_ABI, .name = "trace",
	.summary = "a record of every call, in a file or as text",
	.options = trace_option_table, .init = init, .finish = finish, .forked = forked,
	.thread_exit = trace_writer_thread_exit, .hook_unwound = trace_writer_hook_unwound,
	.process_exit = process_exit, .check = check,
};
