/* SPDX-License-Identifier: Apache-2.0 */
/* The Common Trace Format 1.8: a trace for each process, in a directory of its own. */
/*
 * A call is two events, as from LTTng's tracing of functions: NAME_entry with
 * what the driver was given, NAME_exit with its answer. Texts that come again
 * and again are enumerations. Times go forward in each file, as readers want:
 * one for each row of chunks, one for ranges, one for what is found out at the end.
 */
#include "export/ctf/ctf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/fields.h"
#include "export/formats.h"
#include "export/lines.h"
#include "util/sort.h"

static const uint32_t none = UINT32_MAX;	/* of enumerations */

static int put(struct ctf *ctf, const void *data, size_t size)
{
	uint8_t *at = bytes_room(&ctf->body, size);

	if (!at)
		return -ENOMEM;
	memcpy(at, data, size);
	ctf->body.used += size;
	return 0;
}

enum { CTF_NAMES = 1024 };	/* bytes of the names of a function's parameters */

/* A string to its NUL. */
static int put_text(struct ctf *ctf, const char *text)
{
	const char *clean = utf8_clean(&ctf->scratch, text);

	return clean ? put(ctf, clean, strlen(clean) + 1) : -ENOMEM;
}

/* 0 where nobody kept it. */
static int put_number(struct ctf *ctf, const struct typed *typed, bool known, uint32_t size)
{
	uint64_t bits = known && typed->kind != TYPED_TEXT ? typed->bits : 0;
	double real = known && typed->kind == TYPED_REAL ? typed->real : 0;
	float single = (float)real;
	uint8_t byte = (uint8_t)bits;
	uint16_t two = (uint16_t)bits;
	uint32_t four = (uint32_t)bits;

	if (typed->kind == TYPED_REAL && known)
		return size == sizeof(single) ? put(ctf, &single, size) : put(ctf, &real, size);
	switch (size) {
	case sizeof(byte):
		return put(ctf, &byte, size);
	case sizeof(two):
		return put(ctf, &two, size);
	case sizeof(four):
		return put(ctf, &four, size);
	default:
		return put(ctf, &bits, sizeof(bits));
	}
}

/* The last field names those that have a number here, and none in the trace. */
static int put_arguments(struct ctf *ctf, const struct typed_params *params,
			 const struct trace_arguments *arguments, enum ctf_half half)
{
	char scratch[TYPED_SCRATCH], names[CTF_NAMES];
	struct buffer unknown = { names, sizeof(names), 0 };
	struct typed typed = { .bits = 0, .real = 0 };
	bool some = false, numbers = false;
	int error = 0;

	for (uint32_t i = 0; !error && i < params->count; i++) {
		uint32_t size = ctf_size(&params->params[i]);
		bool known;

		if (ctf_half(&params->params[i]) != half)
			continue;
		known = typed_read(&typed, arguments, params, i, scratch);
		if (size)
			error = put_number(ctf, &typed, known, size);
		else
			error = put_text(ctf, known ? typed.text : "?");
		numbers |= size > 0;
		if (!size || known)
			continue;
		buffer_text(&unknown, some ? ", " : "");
		buffer_text(&unknown, params->params[i].name);
		some = true;
	}
	buffer_end(&unknown);
	return error || !numbers ? error : put_text(ctf, names);
}

static int put_event(struct ctf *ctf, uint64_t ns, uint32_t id)
{
	if (ns > ctf->latest)
		ctf->latest = ns;
	return ctf_stream_event(&ctf->stream, ns, id, ctf->trace->header.pid, ctf->tid, &ctf->body);
}

static int put_entry(struct ctf *ctf, uint32_t number, uint64_t correlation, uint32_t depth,
		     uint32_t stack)
{
	const struct trace_site *site = &ctf->trace->sites[number];
	uint32_t text = stack == TRACE_NONE ? none : ctf->stacks.numbers[stack];
	uint16_t nested = (uint16_t)depth;
	int error;

	ctf->body.used = 0;
	error = put(ctf, &correlation, sizeof(correlation)) ?:
		put(ctf, &ctf->libraries.numbers[site->library], sizeof(*ctf->libraries.numbers)) ?:
		put(ctf, &ctf->callers.numbers[number], sizeof(*ctf->callers.numbers)) ?:
		put(ctf, &nested, sizeof(nested));
	if (!error && ctf->trace->ncallers)
		error = put(ctf, &text, sizeof(text));
	return error;
}

static int put_begin(struct ctf *ctf, const struct trace_call *call)
{
	uint32_t number = ctf->trace->sites[call->site].function;
	const struct typed_function *function = &ctf->functions[number];
	int error = put_entry(ctf, call->site, call->correlation, call->depth, call->stack);
	struct trace_arguments arguments;
	struct launch launch;
	uint32_t kernel = none;

	if (function->launch.launches || (ctf->arguments && function->params.count))
		trace_arguments_read(&arguments, ctf->trace, call);
	if (function->launch.launches) {
		if (launch_read(&launch, &function->launch, ctf->trace, call, &arguments))
			kernel = launch.kernel->number;
		if (!error)
			error = put(ctf, &kernel, sizeof(kernel));
	}
	if (!error && ctf->arguments && function->params.count)
		error = put_arguments(ctf, &function->params, &arguments, CTF_ENTRY);
	return error ?: put_event(ctf, trace_ns(ctf->trace, call->start),
					 number * CTF_HALVES + CTF_ENTRY);
}

static int begin_call(struct convert *convert, const struct trace *trace,
		      const struct trace_call *call)
{
	(void)trace;
	return put_begin(convert->state, call);
}

static int end_call(struct convert *convert, const struct trace *trace,
		    const struct trace_call *call)
{
	struct ctf *ctf = convert->state;
	uint32_t number = trace->sites[call->site].function;
	const struct typed_function *function = &ctf->functions[number];
	uint8_t skipped = call->status & CUAUDIT_TRACE_SKIPPED ? 1 : 0;
	struct trace_arguments arguments;
	int error;

	ctf->body.used = 0;
	error = put(ctf, &call->correlation, sizeof(call->correlation)) ?:
		put(ctf, &call->result, sizeof(call->result)) ?:
		put(ctf, &skipped, sizeof(skipped));
	if (!error && ctf->arguments && function->params.count) {
		trace_arguments_read(&arguments, ctf->trace, call);
		error = put_arguments(ctf, &function->params, &arguments, CTF_EXIT);
	}
	return error ?: put_event(ctf, trace_ns(trace, call->end),
					 number * CTF_HALVES + CTF_EXIT);
}

static const struct nest_ops nest_ops = { .begin = begin_call, .end = end_call };

static int ctf_begin(struct convert *convert)
{
	struct ctf *ctf = convert->state;

	ctf->stream.fd = ctf->stream.directory = -1;
	ctf->nest.ops = &nest_ops;
	return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/*
 * Of the process, so that one trace always has the same, and of how much is described: another
 * file of the process numbers its events otherwise. Version 8 of RFC 9562.
 */
static void make_uuid(uint8_t uuid[16], const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	uint64_t hash[2] = { mix(1, header->start_ns), mix(2, header->start_ns) };

	for (int i = 0; i < 2; i++) {
		for (const char *at = header->host; *at; at++)
			hash[i] = mix(hash[i], (unsigned char)*at);
		hash[i] = mix(mix(hash[i], header->pid), header->start_ticks);
		hash[i] = mix(mix(hash[i], trace->nsites), trace->ncallers);
	}
	memcpy(uuid, hash, sizeof(hash));
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

/* "python3.12-4711", and a number behind it where that is taken. */
static int make_directory(struct ctf *ctf, const struct convert *convert)
{
	const struct cuaudit_trace_header *header = &ctf->trace->header;
	const char *slash = strrchr(header->program, '/');
	const char *program = slash && slash[1] ? slash + 1 : "process";
	int out = open(convert->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	char name[160];
	int length = snprintf(name, 130, "%.100s-%u", program, header->pid);

	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
			*at = '_';
	if (*name == '.')
		*name = '_';
	if (out < 0)
		return -errno;
	for (size_t i = 2; mkdirat(out, name, 0777); i++) {
		if (errno != EEXIST) {
			error = -errno;
			break;
		}
		snprintf(name + length, sizeof(name) - (size_t)length, "-%zu", i);
	}
	if (!error)
		ctf->stream.directory = openat(out, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!error && ctf->stream.directory < 0)
		error = -errno;
	close(out);
	return error;
}

static void forget(struct ctf *ctf)
{
	if (ctf->stream.directory >= 0)
		close(ctf->stream.directory);
	ctf->stream.directory = -1;
	free(ctf->functions);
	labels_free(&ctf->libraries);
	labels_free(&ctf->callers);
	labels_free(&ctf->stacks);
	ctf->functions = NULL;
	ctf->others.used = ctf->ranges.used = 0;
	ctf->latest = ctf->stream.moved = 0;
}

static void library_label(struct buffer *out, const struct convert *convert, const struct trace *trace,
			  uint32_t index)
{
	(void)convert;
	buffer_text(out, trace->libraries[index].name);
}

static void caller_label(struct buffer *out, const struct convert *convert, const struct trace *trace,
			 uint32_t index)
{
	struct symbol_stack found;

	if (trace->sites[index].function == TRACE_NONE)
		return;
	found = lines_site(convert, trace, index);
	if (found.count) {
		lines_print(out, found.at);
		buffer_text(out, ", ");
	}
	fields_caller(out, trace, index);
}

static void stack_label(struct buffer *out, const struct convert *convert, const struct trace *trace,
			uint32_t index)
{
	lines_stack(out, convert, trace, index, " < ");
}

static int remember(struct ctf *ctf, const struct convert *convert, const struct trace *trace)
{
	int error;

	ctf->trace = trace;
	ctf->functions = typed_functions(trace);
	typed_results(ctf->functions, trace);
	error = labels_make(&ctf->libraries, library_label, convert, trace, trace->nlibraries) ?:
		labels_make(&ctf->callers, caller_label, convert, trace, trace->nsites) ?:
		labels_make(&ctf->stacks, stack_label, convert, trace, trace->ncallers);
	return ctf->functions ? error : -ENOMEM;
}

static int ctf_file(struct convert *convert, const struct trace *trace)
{
	struct ctf *ctf = convert->state;
	int error;

	forget(ctf);
	error = remember(ctf, convert, trace);
	ctf->arguments = trace->header.flags & CUAUDIT_TRACE_ARGUMENTS &&
			 !convert->choice.no_arguments;
	make_uuid(ctf->stream.uuid, trace);
	return error ?: make_directory(ctf, convert) ?: ctf_metadata(ctf);
}

static int ctf_thread(struct convert *convert, const struct trace *trace,
		      const struct trace_thread *thread)
{
	struct ctf *ctf = convert->state;
	int error = nest_flush(&ctf->nest, convert, trace);

	ctf->thread = thread->number;
	ctf->tid = thread->tid;
	return error ?: ctf_stream_next(&ctf->stream, "thread_%u", thread->number);
}

static int ctf_call(struct convert *convert, const struct trace *trace,
		    const struct trace_call *call)
{
	struct ctf *ctf = convert->state;
	int error = 0;

	/* Another one took over. */
	if (call->thread != ctf->thread) {
		error = nest_flush(&ctf->nest, convert, trace);
		ctf->thread = call->thread;
		ctf->tid = fields_tid(trace_thread(trace, call->thread));
	}
	return error ?: nest_call(&ctf->nest, convert, trace, call);
}

/* A mark, or a call that had not ended. */
struct late {
	uint64_t ticks;
	const struct trace_mark *mark;	/* NULL: a call */
	uint32_t thread, site, depth;
};

static int keep(struct ctf *ctf, const struct late *late)
{
	uint8_t *at = bytes_room(&ctf->others, sizeof(*late));

	if (!at)
		return -ENOMEM;
	memcpy(at, late, sizeof(*late));
	ctf->others.used += sizeof(*late);
	return 0;
}

static int ctf_open(struct convert *convert, const struct trace *trace,
		    const struct convert_open *open)
{
	const struct late late = { open->start, NULL, open->thread, open->site, open->depth };

	(void)trace;
	return keep(convert->state, &late);
}

static int ctf_mark(struct convert *convert, const struct trace *trace,
		    const struct trace_mark *mark)
{
	const struct late late = { .ticks = mark->ticks, .mark = mark, .thread = mark->thread };

	(void)trace;
	return keep(convert->state, &late);
}

/* A range begins, is marked or ends. */
struct change {
	uint64_t ticks;
	const struct trace_range *range;
	bool end;
};

static int keep_change(struct ctf *ctf, const struct trace_range *range, uint64_t ticks, bool end)
{
	const struct change change = { ticks, range, end };
	uint8_t *at = bytes_room(&ctf->ranges, sizeof(change));

	if (!at)
		return -ENOMEM;
	memcpy(at, &change, sizeof(change));
	ctf->ranges.used += sizeof(change);
	return 0;
}

static int ctf_range(struct convert *convert, const struct trace *trace,
		     const struct trace_range *range)
{
	bool ends = range->event != CUAUDIT_TRACE_RANGE_MARK && !(range->flags & TRACE_RANGE_UNFINISHED);

	(void)trace;
	return keep_change(convert->state, range, range->start, false) ?:
	       (ends ? keep_change(convert->state, range, range->end, true) : 0);
}

/* Of one moment: what began before it ends, the inner ones first; then the others begin, and end. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int x_turn = !x->end ? 1 : x->range->start == x->ticks ? 2 : 0;
	int y_turn = !y->end ? 1 : y->range->start == y->ticks ? 2 : 0;
	int order = ORDER(x->ticks, y->ticks) ?: ORDER(x_turn, y_turn);
	int deeper = ORDER(x->range->depth, y->range->depth) ?: ORDER(x->range, y->range);

	return order ?: x->end ? -deeper : deeper;
}

static enum ctf_other change_number(const struct change *change)
{
	switch (change->range->event) {
	case CUAUDIT_TRACE_RANGE_PUSH:
		return change->end ? CTF_RANGE_POP : CTF_RANGE_PUSH;
	case CUAUDIT_TRACE_RANGE_START:
		return change->end ? CTF_RANGE_END : CTF_RANGE_START;
	default:
		return CTF_RANGE_MARK;
	}
}

static int put_change(struct ctf *ctf, const struct change *change)
{
	const struct trace_range *range = change->range;
	uint32_t thread = change->end ? range->end_thread : range->thread;
	uint64_t id = range->id & TRACE_RANGE_ID;
	char payload[32], colour[TRACE_RANGE_WORD], number[TRACE_RANGE_WORD];

	trace_range_payload(range, payload, sizeof(payload));
	trace_range_colour(range, colour);
	ctf->tid = fields_tid(trace_thread(ctf->trace, thread));
	ctf->body.used = 0;
	return put_text(ctf, range->text) ?: put_text(ctf, range->domain) ?:
	       put_text(ctf, trace_range_category(range, number)) ?: put_text(ctf, colour) ?: put_text(ctf, payload) ?:
	       put(ctf, &id, sizeof(id)) ?:
	       put_event(ctf, trace_ns(ctf->trace, change->ticks),
			 (uint32_t)ctf->trace->nfunctions * CTF_HALVES + change_number(change));
}

static int put_ranges(struct ctf *ctf)
{
	struct change *changes = (struct change *)(void *)ctf->ranges.data;
	size_t count = ctf->ranges.used / sizeof(*changes);
	int error = ctf_stream_next(&ctf->stream, "ranges", 0);

	if (count > 1)
		qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; !error && i < count; i++)
		error = put_change(ctf, &changes[i]);
	return error;
}

static int compare_late(const void *a, const void *b)
{
	const struct late *x = a, *y = b;

	return ORDER(x->ticks, y->ticks) ?: ORDER(x->depth, y->depth);
}

static int put_other(struct ctf *ctf, uint64_t ns, enum ctf_other number, const char *text)
{

	ctf->body.used = 0;
	return put_text(ctf, text) ?:
	       put_event(ctf, ns, (uint32_t)ctf->trace->nfunctions * CTF_HALVES + number);
}

/* An entry alone, its arguments as those nobody kept. */
static int put_open(struct ctf *ctf, const struct late *late)
{
	const struct trace_call call = {
		.site = late->site, .depth = (uint16_t)late->depth, .stack = TRACE_NONE,
		.start = late->ticks };

	return put_begin(ctf, &call);
}

static int put_late(struct ctf *ctf)
{
	struct late *late = (struct late *)(void *)ctf->others.data;
	size_t count = ctf->others.used / sizeof(*late);
	int error = ctf_stream_next(&ctf->stream, "late", 0);

	if (count > 1)
		qsort(late, count, sizeof(*late), compare_late);
	for (size_t i = 0; !error && i < count; i++) {
		ctf->tid = fields_tid(trace_thread(ctf->trace, late[i].thread));
		error = late[i].mark ? put_other(ctf, trace_ns(ctf->trace, late[i].ticks),
						 CTF_MARK, late[i].mark->text)
				     : put_open(ctf, &late[i]);
	}
	return error;
}

/* The last event of all, and the count that readers warn of. */
static int put_lost(struct ctf *ctf, uint64_t damaged)
{
	char text[512] = "";
	struct buffer out = { text, sizeof(text), 0 };
	uint64_t calls = 0;

	convert_losses(&out, ctf->trace, damaged);
	if (!*text)
		return 0;
	for (uint32_t i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		if (__builtin_add_overflow(calls, trace_lost(ctf->trace, i), &calls))
			calls = UINT64_MAX;
	ctf->tid = 0;
	return put_other(ctf, ctf->latest, CTF_LOST, text) ?:
	       ctf_stream_discarded(&ctf->stream, calls);
}

static int ctf_file_end(struct convert *convert, const struct trace *trace)
{
	struct ctf *ctf = convert->state;
	int error = nest_flush(&ctf->nest, convert, trace);
	char text[96];

	error = error ?: put_ranges(ctf) ?: put_late(ctf) ?: put_lost(ctf, convert->damaged) ?:
		ctf_stream_close(&ctf->stream);
	if (ctf->stream.moved) {
		snprintf(text, sizeof(text), "%llu times that went back were moved",
			 (unsigned long long)ctf->stream.moved);
		convert->complain(trace->path, text);
	}
	return error;
}

static void ctf_release(struct convert *convert)
{
	struct ctf *ctf = convert->state;

	ctf->stream.packet.used = 0;
	ctf_stream_close(&ctf->stream);
	forget(ctf);
	nest_free(&ctf->nest);
	free(ctf->scratch.at);
	bytes_free(&ctf->body);
	bytes_free(&ctf->others);
	bytes_free(&ctf->ranges);
	bytes_free(&ctf->stream.packet);
}

const struct convert_format convert_ctf = {
	.name = "ctf", .order = CONVERT_BY_THREAD, .target = CONVERT_DIRECTORY,
	.state = sizeof(struct ctf), .begin = ctf_begin, .file = ctf_file, .thread = ctf_thread,
	.call = ctf_call, .open = ctf_open, .mark = ctf_mark, .range = ctf_range,
	.file_end = ctf_file_end, .release = ctf_release,
};
