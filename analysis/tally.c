/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of some chunks of one trace, added up by where they come from. */
#include "analysis/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracefile/arguments.h"
#include "util/bytes.h"
#include "util/sort.h"

enum {
	SHARES_MAX = 1 << 20	/* 48 MiB: threads times functions */
};

int tally_begin(struct tally *tally, const struct trace *trace, const struct fact *facts)
{
	*tally = (struct tally){
		.trace = trace,
		.facts = facts,
		.threads = { .row = sizeof(struct row_counts) },
		.errors = { .row = sizeof(uint64_t) },
		.lines = { .row = sizeof(struct row_times) },
		.first = UINT64_MAX,
	};
	inside_begin(&tally->inside, trace);
	tally->sites = calloc(trace->nsites + 1, sizeof(struct tally_cell *));
	tally->kernels = calloc(trace->nnames + 1, sizeof(struct tally_cell *));
	return tally->sites && tally->kernels ? 0 : -ENOMEM;
}

int tally_ranges(struct tally *tally, const struct trace_ranges *ranges, const bool *texts, bool named)
{
	tally->ranges = ranges;
	tally->texts = texts;
	if (named)
		tally->named = calloc(ranges->texts.count + 1, sizeof(struct tally_cell *));
	return named && !tally->named ? -ENOMEM : 0;
}

static struct tally_cell *new_cell(struct tally_cell **place)
{
	if (!*place) {
		*place = calloc(1, sizeof(**place));
		if (*place)
			(*place)->times.min = UINT64_MAX;
	}
	return *place;
}

/* The first call of this thread from a site. */
static int touch(struct tally *tally, uint32_t site, struct tally_cell *cell)
{
	uint32_t *touched = bytes_grown(tally->touched, &tally->touched_room, tally->ntouched,
					sizeof(*touched));

	if (!touched)
		return -ENOMEM;
	tally->touched = touched;
	touched[tally->ntouched++] = site;
	cell->run = tally->run;
	cell->before = (struct row_counts){ 0 };
	row_add(&cell->before, &cell->times);
	return 0;
}

static inline int add(const struct trace *trace, struct row_times *cell, uint64_t ticks)
{
	cell->calls++;
	cell->total += ticks;
	cell->squares += (unsigned __int128)ticks * ticks;
	if (ticks < cell->min)
		cell->min = ticks;
	if (ticks > cell->max)
		cell->max = ticks;
	return histogram_add(&cell->histogram, trace_duration(trace, ticks)) ? 0 : -ENOMEM;
}

static bool is_not_ready(const struct trace_call *call, const struct fact *fact)
{
	return call->result == QUERY_NOT_READY && fact->asks;
}

static uint64_t *failures(struct row_times *times, const struct trace_call *call,
			  const struct fact *fact)
{
	return is_not_ready(call, fact) ? &times->not_ready : &times->errors;
}

static int add_failure(struct tally *tally, const struct trace_call *call,
		       const struct fact *fact, struct tally_cell *cell)
{
	struct tally_error key = { call->site, call->result };
	uint32_t number = table_find(&tally->errors, &key, sizeof(key));

	if (number == TABLE_NONE)
		return -ENOMEM;
	++*(uint64_t *)table_row(&tally->errors, number);
	++*failures(&cell->times, call, fact);
	return 0;
}

/* The handle of the kernel that is launched; false if it was not recorded. */
static bool handle_of(const struct tally *tally, const struct trace_call *call,
		      const struct fact *fact, uint64_t *handle)
{
	struct trace_arguments arguments;

	if (fact->at + sizeof(*handle) <= call->size) {
		memcpy(handle, call->arguments + fact->at, sizeof(*handle));
		return true;
	}
	if (!trace_arguments_read(&arguments, tally->trace, call) ||
	    fact->handle >= TRACE_WORDS || !(arguments.known >> fact->handle & 1))
		return false;
	*handle = arguments.words[fact->handle];
	return true;
}

/* Where launches of the handle are added up; handles that mean one kernel for good are remembered. */
static struct tally_cell *kernel_cell(struct tally *tally, uint64_t handle, uint64_t ticks)
{
	const struct trace *trace = tally->trace;
	struct tally_handle *known =
		&tally->handles[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
	const struct trace_kernel *kernel, *end = trace->kernels + trace->nkernels;
	struct tally_cell *cell;

	if (known->cell && known->handle == handle)
		return known->cell;
	kernel = trace_kernel(trace, handle, ticks);
	cell = new_cell(&tally->kernels[kernel ? kernel->number : trace->nnames]);
	if (cell && kernel && (kernel == trace->kernels || kernel[-1].handle != handle) &&
	    (kernel + 1 == end || kernel[1].handle != handle))
		*known = (struct tally_handle){ handle, cell };
	return cell;
}

static int add_launch(struct tally *tally, const struct trace_call *call, const struct fact *fact)
{
	struct tally_cell *cell;
	uint64_t handle;

	if (handle_of(tally, call, fact, &handle))
		cell = kernel_cell(tally, handle, call->end);
	else
		cell = new_cell(&tally->kernels[tally->trace->nnames]);
	if (!cell)
		return -ENOMEM;
	if (call->result)
		++*failures(&cell->times, call, fact);
	return add(tally->trace, &cell->times, call->end - call->start);
}

static void add_copy(struct tally *tally, const struct trace_call *call, const struct fact *fact)
{
	struct trace_arguments arguments;
	bool known = call->arguments && trace_arguments_read(&arguments, tally->trace, call);
	struct copy copy = copy_read(fact->copies, known ? &arguments : NULL);
	struct tally_copies *copies = &tally->copies[copy.direction][fact->waits];
	uint64_t ticks = call->end - call->start;

	copies->calls++;
	copies->total += ticks;
	copies->unsized += !copy.sized;
	copies->bytes += copy.sized ? copy.bytes : 0;
	copies->sized += copy.sized ? ticks : 0;
}

static int compare_shares(const void *a, const void *b)
{
	const struct tally_share *x = a, *y = b;

	return ORDER(x->thread, y->thread) ?: ORDER(x->function, y->function);
}

void tally_settle(struct tally *tally)
{
	size_t kept = 0;

	if (tally->nshares)
		qsort(tally->shares, tally->nshares, sizeof(*tally->shares), compare_shares);
	for (size_t i = 0; i < tally->nshares; i++) {
		if (kept && !compare_shares(&tally->shares[kept - 1], &tally->shares[i]))
			row_add(&tally->shares[kept - 1].counts, &tally->shares[i].counts);
		else
			tally->shares[kept++] = tally->shares[i];
	}
	tally->nshares = kept;
}

/* Room for one more share; there may be none any more. */
static int make_room(struct tally *tally)
{
	struct tally_share *shares;
	size_t room;

	if (tally->nshares < tally->room || tally->crowded)
		return 0;
	tally_settle(tally);
	if (tally->nshares < tally->room / 2)
		return 0;
	if (tally->nshares >= SHARES_MAX) {
		tally->crowded = true;
		tally->nshares = 0;
		return 0;
	}
	room = tally->room ? 2 * tally->room : 1024;
	shares = reallocarray(tally->shares, room, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	tally->shares = shares;
	tally->room = room;
	return 0;
}

static int add_share(struct tally *tally, const struct tally_share *share)
{
	if (make_room(tally))
		return -ENOMEM;
	if (!tally->crowded)
		tally->shares[tally->nshares++] = *share;
	return 0;
}

/* What the present thread did, to its account. */
static int end_run(struct tally *tally)
{
	struct row_counts counts = { .calls = 0 };
	uint32_t number;
	int error = 0;

	for (size_t i = 0; !error && i < tally->ntouched; i++) {
		uint32_t site = tally->touched[i];
		const struct tally_cell *cell = tally->sites[site];
		struct tally_share share = {
			.thread = tally->thread,
			.function = tally->trace->sites[site].function,
			.counts = {
				.calls = cell->times.calls - cell->before.calls,
				.errors = cell->times.errors - cell->before.errors,
				.not_ready = cell->times.not_ready - cell->before.not_ready,
				.total = cell->times.total - cell->before.total,
			},
		};

		row_add(&counts, &share.counts);
		error = add_share(tally, &share);
	}
	if (error || !tally->ntouched)
		return error;
	tally->ntouched = 0;
	number = table_find(&tally->threads, &tally->thread, sizeof(tally->thread));
	if (number == TABLE_NONE)
		return -ENOMEM;
	row_add(table_row(&tally->threads, number), &counts);
	return 0;
}

static int next_thread(struct tally *tally, uint32_t thread)
{
	int error = end_run(tally);

	tally->thread = thread;
	tally->run++;
	return error;
}

static int add_line(struct tally *tally, const struct trace_call *call, const struct fact *fact)
{
	const struct trace *trace = tally->trace;
	struct tally_line key = { call->site, TRACE_NONE };
	struct row_times *times;
	uint32_t number;

	if (call->stack != TRACE_NONE)
		key.python = trace->callers[call->stack].python;
	number = table_find(&tally->lines, &key, sizeof(key));
	if (number == TABLE_NONE)
		return -ENOMEM;
	times = table_row(&tally->lines, number);
	if (!times->calls)
		times->min = UINT64_MAX;
	if (call->result)
		++*failures(times, call, fact);
	return add(trace, times, call->end - call->start);
}

static int add_range(struct tally *tally, const struct trace_call *call, const struct fact *fact)
{
	uint32_t at = trace_ranges_at(tally->ranges, call->thread, call->start);
	size_t text = at == TRACE_NONE ? tally->ranges->texts.count :
					 tally->ranges->ranges[at].text_number;
	struct tally_cell *cell = new_cell(&tally->named[text]);

	if (!cell)
		return -ENOMEM;
	if (call->result)
		++*failures(&cell->times, call, fact);
	return add(tally->trace, &cell->times, call->end - call->start);
}

static bool is_wanted(const struct tally *tally, const struct trace_call *call, const struct fact *fact)
{
	if (tally->failed && (!call->result || is_not_ready(call, fact)))
		return false;
	return __builtin_expect(!tally->texts, 1) ||
	       trace_ranges_take(tally->ranges, tally->texts, call->thread, call->start);
}

static int add_call(struct tally *tally, const struct trace_call *call)
{
	struct tally_cell *cell = tally->sites[call->site];
	const struct fact *fact = &tally->facts[tally->trace->sites[call->site].function];
	bool wanted = is_wanted(tally, call, fact);

	if (__builtin_expect(tally->inside.any, 0)) {
		if (call->thread != tally->thread)
			inside_drop(&tally->inside);
		if (inside_add(&tally->inside, tally->trace, call, wanted, is_not_ready(call, fact)))
			return -ENOMEM;
	}
	if (!wanted)
		return 0;
	if (__builtin_expect(tally->named != NULL, 0) && add_range(tally, call, fact))
		return -ENOMEM;
	if (__builtin_expect(call->thread != tally->thread, 0) && next_thread(tally, call->thread))
		return -ENOMEM;
	if (__builtin_expect(!cell, 0) && !(cell = new_cell(&tally->sites[call->site])))
		return -ENOMEM;
	if (__builtin_expect(cell->run != tally->run, 0) && touch(tally, call->site, cell))
		return -ENOMEM;
	if (__builtin_expect(call->result, 0) && add_failure(tally, call, fact, cell))
		return -ENOMEM;
	if (call->start < tally->first)
		tally->first = call->start;
	if (call->end > tally->last)
		tally->last = call->end;
	if (call->arguments && fact->action == FACT_LAUNCHES && add_launch(tally, call, fact))
		return -ENOMEM;
	if (fact->copies != COPY_NONE && trace_call_succeeded(call))
		add_copy(tally, call, fact);
	if (tally->trace->npythons && add_line(tally, call, fact))
		return -ENOMEM;
	return add(tally->trace, &cell->times, call->end - call->start);
}

int tally_chunks(struct tally *tally, size_t first, size_t count, void *window, size_t size)
{
	struct trace_walk walk;
	struct trace_call call;
	int error = 0;

	trace_walk_begin(&walk, tally->trace, window, size);
	tally->run++;
	for (size_t i = first; !error && i < first + count; i++) {
		trace_walk_chunk(&walk, i);
		/* Who has read the chunk before is not known: the result is the same for any number of jobs. */
		inside_drop(&tally->inside);
		while (!error && trace_walk_next(&walk, &call))
			error = add_call(tally, &call);
	}
	tally->damaged += walk.damaged;
	return error ?: walk.error ?: end_run(tally);
}

int tally_times(struct row_times *to, const struct row_times *from)
{
	if (!to->calls || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	row_add(to, from);
	to->squares += from->squares;
	return histogram_merge(&to->histogram, &from->histogram) ? 0 : -ENOMEM;
}

static int merge_cells(struct tally_cell **to, struct tally_cell **from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct tally_cell *cell = from[i];

		if (cell && !to[i]) {
			to[i] = cell;
			from[i] = NULL;
		} else if (cell && tally_times(&to[i]->times, &cell->times)) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int merge_lines(struct table *to, const struct table *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t number = table_find(to, from->keys[i].bytes, from->keys[i].size);

		if (number == TABLE_NONE || tally_times(table_row(to, number), table_row(from, i)))
			return -ENOMEM;
	}
	return 0;
}

/* Adds up structures of 64-bit numbers. */
static void add_words(void *to, const void *from, size_t size)
{
	for (size_t at = 0; at < size; at += sizeof(uint64_t))
		*(uint64_t *)((char *)to + at) += *(const uint64_t *)((const char *)from + at);
}

static int merge_table(struct table *to, const struct table *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t number = table_find(to, from->keys[i].bytes, from->keys[i].size);

		if (number == TABLE_NONE)
			return -ENOMEM;
		add_words(table_row(to, number), table_row(from, i), to->row);
	}
	return 0;
}

int tally_merge(struct tally *tally, struct tally *from)
{
	const struct trace *trace = tally->trace;
	int error = merge_cells(tally->sites, from->sites, trace->nsites) ?:
		    merge_cells(tally->kernels, from->kernels, trace->nnames + 1) ?:
		    merge_lines(&tally->lines, &from->lines) ?:
		    (tally->named ? merge_cells(tally->named, from->named,
						tally->ranges->texts.count + 1) : 0) ?:
		    merge_table(&tally->errors, &from->errors) ?:
		    merge_table(&tally->inside.calls, &from->inside.calls) ?:
		    merge_table(&tally->threads, &from->threads);

	add_words(tally->copies, from->copies, sizeof(tally->copies));
	tally->crowded |= from->crowded;
	if (tally->crowded)
		tally->nshares = 0;
	for (size_t i = 0; !error && i < from->nshares; i++)
		error = add_share(tally, &from->shares[i]);
	if (from->first < tally->first)
		tally->first = from->first;
	if (from->last > tally->last)
		tally->last = from->last;
	tally->damaged += from->damaged;
	return error;
}

static void free_cells(struct tally_cell **cells, size_t count)
{
	for (size_t i = 0; cells && i < count; i++) {
		if (cells[i])
			histogram_free(&cells[i]->times.histogram);
		free(cells[i]);
	}
	free(cells);
}

void tally_free(struct tally *tally)
{
	if (tally->trace) {
		free_cells(tally->sites, tally->trace->nsites);
		free_cells(tally->kernels, tally->trace->nnames + 1);
		if (tally->named)
			free_cells(tally->named, tally->ranges->texts.count + 1);
	}
	free(tally->shares);
	free(tally->touched);
	for (uint32_t i = 0; i < tally->lines.count; i++)
		histogram_free(&((struct row_times *)table_row(&tally->lines, i))->histogram);
	table_free(&tally->lines);
	inside_free(&tally->inside);
	table_free(&tally->threads);
	table_free(&tally->errors);
}
