/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline's look at a file: its rows' bins, the calls that are shown by themselves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/api.h>

#include "analysis/facts.h"
#include "export/fields.h"
#include "export/html/timeline.h"
#include "export/lines.h"
#include "print/print.h"
#include "tracefile/arguments.h"
#include "util/sort.h"

enum { TEXT_SIZE = 1024, CALLER_SIZE = 8192 };

/* A row that is being filled. */
struct filling {
	size_t bins;		/* which of the rows of bins, unless it is complete */
	struct self_time self_time;
	struct shown_call longest;	/* of the cell; its key is 0 where there is none */
	uint64_t cell;
};

struct fill {
	struct timeline *timeline;
	uint32_t number;	/* the process's */
	const struct timeline_process *process;
	struct trace trace;
	struct trace_walk walk;
	uint64_t *buffer;
	struct bins bins;
	struct filling *rows;
	uint32_t *functions;	/* the timeline's, by the trace's */
	uint8_t *kernel_words;	/* of the trace's functions: which word is the kernel, + 1 */
	uint32_t *callers;	/* the timeline's + 1, by site */
	uint32_t thread;	/* the number of whose calls come now */
	struct timeline_thread *sharing;	/* the same, if it has no row of its own */
	uint32_t row;
	struct filling *filling;	/* the row's; NULL: it has none */
	int error;
};

static uint8_t kernel_word(const struct trace_function *function)
{
	struct fact fact = fact_of(function);

	return fact.action == FACT_LAUNCHES && fact.handle != FACT_NO_WORD ? fact.handle + 1 : 0;
}

static uint32_t kernel_of(struct fill *fill, const struct trace_call *call)
{
	const struct trace *trace = &fill->trace;
	uint8_t word = fill->kernel_words[trace->sites[call->site].function];
	struct trace_arguments arguments;
	const struct trace_kernel *kernel;
	uint32_t number;

	if (!word || !trace_arguments_read(&arguments, trace, call) ||
	    !(arguments.known >> (word - 1) & 1))
		return TABLE_NONE;
	kernel = trace_kernel(trace, arguments.words[word - 1], call->start);
	if (!kernel)
		return TABLE_NONE;
	number = table_text(&fill->timeline->kernels, kernel->name);
	if (number == TABLE_NONE)
		fill->error = -ENOMEM;
	return number;
}

static uint32_t caller_of(struct fill *fill, uint32_t site)
{
	const struct trace_site *at = &fill->trace.sites[site];
	const struct trace_library *library = &fill->trace.libraries[at->library];
	struct symbols *symbols = fill->timeline->summary->symbols;
	struct symbol_stack found = { .count = 0 };
	char text[CALLER_SIZE];
	struct buffer out = { text, sizeof(text), 0 };

	if (fill->callers[site])
		return fill->callers[site] - 1;
	if (symbols)
		symbols_find(symbols, symbols_library(symbols, trace_library_file(&fill->trace,
										  at->library),
						      library->build_id, library->id_size),
			     at->caller - library->base - 1, &found);
	for (uint32_t i = 0; i < found.count; i++) {
		lines_print(&out, &found.at[i]);
		buffer_text(&out, i + 1 < found.count ? " < " : ", ");
	}
	fields_caller(&out, &fill->trace, site);
	buffer_end(&out);
	fill->callers[site] = table_text(&fill->timeline->callers, text) + 1;
	if (!fill->callers[site])
		fill->error = -ENOMEM;
	return fill->callers[site] - 1;
}

static uint32_t function_of(const struct fill *fill, const struct trace_call *call)
{
	return fill->functions[fill->trace.sites[call->site].function];
}

static void add_text(struct fill *fill, const struct trace_call *call, struct shown_call *shown)
{
	struct out *texts = &fill->timeline->texts;
	char text[TEXT_SIZE];
	struct buffer buffer = { text, sizeof(text), 0 };

	trace_arguments_print(&buffer, &fill->trace, call, 0);
	buffer_end(&buffer);
	shown->text = texts->used;
	out_json(texts, text);
	shown->length = texts->used - shown->text;
}

static struct shown_call describe(struct fill *fill, const struct trace_call *call,
				  uint64_t start, uint64_t duration)
{
	struct shown_call shown = {
		.start = start,
		.duration = duration,
		.correlation = call->correlation,
		.row = fill->row,
		.function = function_of(fill, call),
		.caller = caller_of(fill, call->site),
		.kernel = kernel_of(fill, call),
		.result = call->result,
		.depth = call->depth,
		.status = call->status,
	};

	if (fill->timeline->summary->counts.calls <= TIMELINE_TEXTS)
		add_text(fill, call, &shown);
	return shown;
}

static void offer(struct fill *fill, struct heap *heap, uint64_t key,
		  const struct trace_call *call, uint64_t start, uint64_t duration)
{
	struct shown_call shown;

	if (!heap_wants(heap, key))
		return;
	shown = describe(fill, call, start, duration);
	shown.key = key;
	if (heap_take(heap, &shown))
		fill->error = -ENOMEM;
}

static void end_cell(struct fill *fill, struct filling *filling)
{
	struct heap *cells = &fill->timeline->cells;

	if (filling->longest.key && heap_wants(cells, filling->longest.key) &&
	    heap_take(cells, &filling->longest))
		fill->error = -ENOMEM;
	filling->longest.key = 0;
}

/* Errors are chosen as if by chance, and the same each time. */
static uint64_t scattered(uint64_t number)
{
	number = (number ^ number >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (number ^ number >> 29) | 1;
}

static void choose(struct fill *fill, const struct trace_call *call, uint64_t start,
		   uint64_t duration)
{
	struct timeline *timeline = fill->timeline;
	struct filling *filling = fill->filling;
	uint64_t cell = (start + duration) >> timeline->cell_shift;
	const struct trace_function *function =
		&fill->trace.functions[fill->trace.sites[call->site].function];

	if (trace_is_error(function, call->result))
		offer(fill, &timeline->errors, scattered(call->correlation ^ start), call, start,
		      duration);
	if (function->classes & CUAUDIT_CLASS_SYNC)
		offer(fill, &timeline->syncs, duration, call, start, duration);
	offer(fill, &timeline->longest, duration, call, start, duration);
	if (cell != filling->cell)
		end_cell(fill, filling);
	filling->cell = cell;
	if (duration >= filling->longest.key) {
		filling->longest = describe(fill, call, start, duration);
		filling->longest.key = duration + 1;
	}
}

/* The calls that follow are of that thread. */
static void turn(struct fill *fill, uint32_t number)
{
	const struct timeline_process *process = fill->process;
	size_t row = process->nrows - 1;

	/* Threads of one row take turns in it. */
	if (fill->sharing)
		fill->sharing->floor = fill->filling->self_time.floor;
	fill->thread = number;
	fill->sharing = timeline_thread(fill->timeline, fill->number, number);
	fill->filling = NULL;
	if (fill->sharing && fill->sharing->row != TIMELINE_NO_ROW) {
		row = fill->sharing->row - process->first;
		fill->sharing = NULL;
	} else if (!process->rest) {
		/* Of a file that has grown. */
		fill->sharing = NULL;
		return;
	}
	fill->row = (uint32_t)(process->first + row);
	fill->filling = &fill->rows[row];
	if (fill->timeline->rows[fill->row].thread == NULL)
		fill->filling->self_time =
			(struct self_time){ .floor = fill->sharing ? fill->sharing->floor : 0 };
	if (!fill->timeline->rows[fill->row].complete)
		bins_turn(&fill->bins, fill->filling->bins);
}

static void add_call(struct fill *fill, const struct trace_call *call)
{
	struct timeline *timeline = fill->timeline;
	uint64_t start = timeline_at(timeline, trace_ns(&fill->trace, call->start));
	uint64_t took = trace_duration(&fill->trace, call->end - call->start);

	if (call->thread != fill->thread)
		turn(fill, call->thread);
	if (!fill->filling)
		return;
	if (took > timeline->length - start)
		took = timeline->length - start;
	if (timeline->rows[fill->row].complete) {
		offer(fill, &timeline->exact, 1, call, start, took);
		return;
	}
	bins_call(&fill->bins, &fill->filling->self_time, start, start + took, call->depth,
		  function_of(fill, call));
	choose(fill, call, start, took);
}

static int by_sequence(const void *a, const void *b, void *data)
{
	const struct trace_chunk *chunks = data;
	uint64_t x = chunks[*(const size_t *)a].sequence, y = chunks[*(const size_t *)b].sequence;

	return ORDER(x, y);
}

/* All calls, each thread's in the order of their ends, whoever took over whose chunk. */
static int add_calls(struct fill *fill)
{
	const struct trace *trace = &fill->trace;
	size_t *order = malloc((trace->nchunks + 1) * sizeof(*order));
	struct trace_call call;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nchunks; i++)
		order[i] = i;
	qsort_r(order, trace->nchunks, sizeof(*order), by_sequence, trace->chunks);
	for (size_t i = 0; i < trace->nchunks && !fill->error; i++) {
		trace_walk_chunk(&fill->walk, order[i]);
		while (trace_walk_next(&fill->walk, &call))
			add_call(fill, &call);
	}
	free(order);
	return fill->error ? fill->error : fill->walk.error;
}

static int add_marks(struct fill *fill)
{
	struct timeline *timeline = fill->timeline;
	const struct trace *trace = &fill->trace;

	for (size_t i = 0; i < trace->nmarks && timeline->nmarks < TIMELINE_MARKS; i++) {
		const struct trace_mark *mark = &trace->marks[i];
		struct timeline_mark *more;

		more = reallocarray(timeline->marks, timeline->nmarks + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		timeline->marks = more;
		more += timeline->nmarks;
		more->process = fill->number;
		more->at = timeline_at(timeline, trace_ns(trace, mark->ticks));
		more->text = strdup(mark->text);
		if (!more->text)
			return -ENOMEM;
		timeline->nmarks++;
	}
	return 0;
}

static void end_rows(struct fill *fill)
{
	struct out *texts = &fill->timeline->texts;

	if (fill->bins.nrows)
		bins_turn(&fill->bins, 0);
	for (size_t i = 0; i < fill->process->nrows; i++) {
		struct timeline_row *row = &fill->timeline->rows[fill->process->first + i];

		end_cell(fill, &fill->rows[i]);
		if (row->complete)
			continue;
		row->text = texts->used;
		bins_json(&fill->bins, fill->rows[i].bins, row->nthreads, texts);
		row->length = texts->used - row->text;
	}
}

static int prepare(struct fill *fill)
{
	struct timeline *timeline = fill->timeline;
	const struct trace *trace = &fill->trace;
	size_t incomplete = 0;

	fill->buffer = malloc(trace_window(trace));
	fill->rows = calloc(fill->process->nrows, sizeof(*fill->rows));
	fill->functions = calloc(trace->nfunctions + 1, sizeof(*fill->functions));
	fill->kernel_words = calloc(trace->nfunctions + 1, sizeof(*fill->kernel_words));
	fill->callers = calloc(trace->nsites + 1, sizeof(*fill->callers));
	if (!fill->buffer || !fill->rows || !fill->functions || !fill->kernel_words ||
	    !fill->callers)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nfunctions; i++) {
		fill->functions[i] = table_text(&timeline->functions,
						     trace->functions[i].name);
		if (fill->functions[i] == TABLE_NONE)
			return -ENOMEM;
		fill->kernel_words[i] = kernel_word(&trace->functions[i]);
	}
	trace_walk_begin(&fill->walk, trace, fill->buffer, trace_window(trace));
	for (size_t i = 0; i < fill->process->nrows; i++)
		if (!timeline->rows[fill->process->first + i].complete)
			fill->rows[i].bins = incomplete++;
	if (bins_make(&fill->bins, incomplete, timeline->nbins, timeline->shift,
		      timeline->functions.count))
		return -ENOMEM;
	turn(fill, 0);
	return 0;
}

int timeline_fill(struct timeline *timeline, size_t process)
{
	struct fill fill = { .timeline = timeline, .number = (uint32_t)process,
			     .process = &timeline->processes[process] };
	int error = 0;

	if (!fill.process->nrows)
		return 0;
	errno = 0;
	if (trace_open(&fill.trace, timeline->summary->processes[process].path)) {
		/* It could be read a moment ago. */
		error = errno ? -errno : -EIO;
	} else {
		error = trace_demangle(&fill.trace, timeline->summary->names) ?: prepare(&fill) ?:
			add_marks(&fill) ?: timeline_add_ranges(timeline, process, &fill.trace) ?:
			add_calls(&fill);
		if (!error)
			end_rows(&fill);
		bins_free(&fill.bins);
		free(fill.callers);
		free(fill.kernel_words);
		free(fill.functions);
		free(fill.rows);
		free(fill.buffer);
	}
	trace_close(&fill.trace);
	return error ?: fill.error ?: timeline->texts.error;
}
