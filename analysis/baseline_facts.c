/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of one run, from the traces of its processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cuaudit/coverage.h>

#include "analysis/baseline.h"
#include "analysis/baseline_field.h"
#include "analysis/baseline_route.h"
#include "analysis/facts.h"
#include "analysis/kernel_launch.h"
#include "print/print.h"
#include "tracefile/copy.h"
#include "tracefile/ending.h"
#include "tracefile/losses.h"
#include "tracefile/ranges.h"

enum { WINDOW = 256 << 10 };

enum kind { CALLS, LAUNCHES, BYTES, UNSIZED, ERRORS, ROUTES };

static const char *const kinds[] = {
	[CALLS] = "calls",
	[LAUNCHES] = "launches",
	[BYTES] = "bytes",
	[UNSIZED] = "unsized",
	[ERRORS] = "errors",
	[ROUTES] = "routes",
};

/* Those of a call site, 0: none. Symbols by PLT or by another relocation are one: it is the compiler's choice. */
static const uint32_t routes[BASELINE_ROUTES] = {
	[ROUTE_SYMBOL] = 1u << CUAUDIT_ROUTE_PLT | 1u << CUAUDIT_ROUTE_RELOCATION,
	[ROUTE_DLSYM] = 1u << CUAUDIT_ROUTE_DLSYM,
	[ROUTE_PROCADDR] = 1u << CUAUDIT_ROUTE_PROCADDR,
	[ROUTE_OTHER] = 0,
};

/* Of one trace; keys are compared as bytes. */
struct key {
	uint32_t kind;
	uint32_t library;
	uint32_t what;		/* the function's, the kernel's or the direction's number */
	uint32_t range;		/* its text's number, or TRACE_NONE */
	int32_t result;		/* of ERRORS; of ROUTES, which one; else 0 */
};

/* A trace that is being read. */
struct reader {
	struct trace trace;
	struct trace_ranges ranges;
	struct fact *facts;		/* by function */
	struct launch_plan *plans;	/* the same */
	struct table counts;		/* struct key -> uint64_t */
	uint64_t damaged;
};

static void add_to(uint64_t *count, uint64_t more)
{
	if (__builtin_add_overflow(*count, more, count))
		*count = UINT64_MAX;
}

static int count(struct reader *reader, const struct key *key, uint64_t more)
{
	uint32_t number = table_find(&reader->counts, key, sizeof(*key));

	if (number == TABLE_NONE)
		return -ENOMEM;
	add_to(table_row(&reader->counts, number), more);
	return 0;
}

static uint32_t range_of(const struct reader *reader, const struct trace_call *call)
{
	uint32_t at = trace_ranges_at(&reader->ranges, call->thread, call->start);

	return at == TRACE_NONE ? TRACE_NONE : reader->ranges.ranges[at].text_number;
}

static int add_launch(struct reader *reader, struct key key, const struct launch_plan *plan,
		      const struct trace_call *call, const struct trace_arguments *arguments)
{
	struct launch launch;

	key.kind = LAUNCHES;
	key.what = arguments && launch_read(&launch, plan, &reader->trace, call, arguments) ?
		   (uint32_t)(launch.kernel - reader->trace.kernels) : TRACE_NONE;
	return count(reader, &key, 1);
}

static int add_copy(struct reader *reader, struct key key, const struct fact *fact,
		    const struct trace_arguments *arguments)
{
	struct copy copy = copy_read(fact->copies, arguments);

	key.kind = copy.sized ? BYTES : UNSIZED;
	key.what = copy.direction;
	return count(reader, &key, copy.sized ? copy.bytes : 1);
}

/* What the driver did: a call that failed neither launched nor copied. */
static int add_effects(struct reader *reader, const struct key *key, uint32_t function,
		       const struct trace_call *call)
{
	const struct launch_plan *plan = &reader->plans[function];
	const struct fact *fact = &reader->facts[function];
	struct trace_arguments arguments, *known = NULL;

	if (!trace_call_succeeded(call) || (!plan->launches && fact->copies == COPY_NONE))
		return 0;
	if (call->arguments && trace_arguments_read(&arguments, &reader->trace, call))
		known = &arguments;
	if (plan->launches)
		return add_launch(reader, *key, plan, call, known);
	return add_copy(reader, *key, fact, known);
}

static int add_call(struct reader *reader, const struct trace_call *call)
{
	const struct trace_site *site = &reader->trace.sites[call->site];
	struct key key = { CALLS, site->library, site->function, range_of(reader, call), 0 };
	int error = count(reader, &key, 1);

	if (error || !call->result)
		return error ?: add_effects(reader, &key, site->function, call);
	/* How often a query is too early is nothing that a program decides. */
	if (call->result == QUERY_NOT_READY && reader->facts[site->function].asks)
		return 0;
	key.kind = ERRORS;
	key.result = call->result;
	return count(reader, &key, 1);
}

static int add_calls(struct reader *reader)
{
	void *window = aligned_alloc(64, WINDOW);
	struct trace_walk walk;
	struct trace_call call;
	int error = window ? 0 : -ENOMEM;

	if (error)
		return error;
	trace_walk_begin(&walk, &reader->trace, window, WINDOW);
	for (size_t i = 0; !error && i < reader->trace.nchunks; i++) {
		error = trace_walk_chunk(&walk, i);
		while (!error && trace_walk_next(&walk, &call))
			error = add_call(reader, &call);
	}
	reader->damaged += walk.damaged;
	free(window);
	return error ?: walk.error;
}

/* A function is bound by a route or it is not, however many call sites and processes there are. */
static int add_routes(struct reader *reader)
{
	int error = 0;

	for (size_t i = 0; i < reader->trace.nsites; i++) {
		const struct trace_site *site = &reader->trace.sites[i];
		struct key key = { ROUTES, site->library, site->function, TRACE_NONE, 0 };

		for (size_t k = 0; site->function != TRACE_NONE && k < BASELINE_ROUTES && !error; k++) {
			key.result = (int32_t)k;
			if (routes[k] ? site->routes & routes[k] : !site->routes)
				error = count(reader, &key, 0);
		}
	}
	return error;
}

static int prepare(struct reader *reader, enum demangle names)
{
	const struct trace *trace = &reader->trace;
	int error = trace_demangle(&reader->trace, names) ?:
		    trace_ranges_read(&reader->ranges, trace);

	if (error)
		return error;
	reader->damaged = reader->ranges.damaged;
	reader->facts = facts_of(trace);
	reader->plans = calloc(trace->nfunctions + 1, sizeof(*reader->plans));
	if (!reader->facts || !reader->plans)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nfunctions; i++)
		reader->plans[i] = launch_plan(&trace->functions[i]);
	return 0;
}

static const char *what_text(const struct reader *reader, const struct key *key)
{
	const struct trace *trace = &reader->trace;

	switch (key->kind) {
	case LAUNCHES:
		return key->what == TRACE_NONE ? NULL : trace->kernels[key->what].name;
	case BYTES:
	case UNSIZED:
		return copy_names[key->what];
	default:
		return trace->functions[key->what].name;
	}
}

static void key_text(struct out *out, const struct reader *reader, const struct key *key)
{
	const struct table_key *texts = reader->ranges.texts.keys;

	out->used = 0;
	out_text(out, kinds[key->kind]);
	out_text(out, "\t");
	baseline_field(out, reader->trace.libraries[key->library].name);
	out_text(out, "\t");
	baseline_field(out, what_text(reader, key));
	if (key->kind == ROUTES) {
		out_text(out, "\t");
		out_text(out, baseline_routes[key->result]);
		out_bytes(out, "\t", 2);
		return;
	}
	if (key->kind == ERRORS) {
		char text[PRINT_RESULT];

		out_text(out, "\t");
		baseline_field(out, print_result_text(text, what_text(reader, key), key->result));
	}
	out_text(out, "\t");
	baseline_field(out, key->range == TRACE_NONE ? NULL : texts[key->range].bytes);
	out_bytes(out, "\t", 2);
}

static int count_trace(struct baseline_run *run, uint32_t pid)
{
	uint32_t number = table_find(&run->traces, &pid, sizeof(pid));

	if (number == TABLE_NONE)
		return -ENOMEM;
	++*(uint32_t *)table_row(&run->traces, number);
	return 0;
}

/* What is equal as text becomes one: processes, and libraries of one name. */
static int gather(struct baseline_run *run, const struct reader *reader)
{
	const struct table *counts = &reader->counts;
	struct out text = { 0 };
	int error = 0;

	for (uint32_t i = 0; !error && i < counts->count; i++) {
		const struct key *key = (const void *)counts->keys[i].bytes;
		uint32_t number = TABLE_NONE;

		key_text(&text, reader, key);
		if (!text.error)
			number = table_find(&run->counts, text.data, text.used);
		if (number == TABLE_NONE)
			error = -ENOMEM;
		else if (key->kind == ROUTES)
			*(uint64_t *)table_row(&run->counts, number) = 1;
		else
			add_to(table_row(&run->counts, number), *(uint64_t *)table_row(counts, i));
	}
	out_free(&text);
	for (size_t i = 0; i < reader->trace.ndrivers; i++)
		if (reader->trace.drivers[i].version > run->driver)
			run->driver = reader->trace.drivers[i].version;
	return error ?: count_trace(run, reader->trace.header.pid);
}

/* Nothing where all is there that the process did. */
static void print_missing(struct buffer *out, const struct reader *reader)
{
	struct trace_losses losses = trace_losses(&reader->trace, reader->damaged);

	if (trace_losses_any(&losses))
		trace_losses_print(out, &losses);
	else if (trace_ending(&reader->trace.header) == TRACE_RUNS)
		buffer_text(out, "its process still runs");
}

static void close_reader(struct reader *reader)
{
	table_free(&reader->counts);
	free(reader->plans);
	free(reader->facts);
	trace_ranges_free(&reader->ranges);
	trace_close(&reader->trace);
}

bool baseline_run_add(struct baseline_run *run, const char *path, char fault[BASELINE_FAULT])
{
	struct reader reader = { .counts = { .row = sizeof(uint64_t) } };
	const char *text = trace_open(&reader.trace, path);
	struct buffer out = { fault, BASELINE_FAULT, 0 };
	int error = 0;

	if (!text)
		error = prepare(&reader, run->names) ?: add_calls(&reader) ?: add_routes(&reader) ?:
			gather(run, &reader);
	if (text || error)
		buffer_text(&out, text ? text : strerror(-error));
	else
		print_missing(&out, &reader);
	buffer_end(&out);
	close_reader(&reader);
	return !out.length;
}
