/* SPDX-License-Identifier: Apache-2.0 */
/* What the page's timeline shows: who gets a row, and what of it. */
#include "export/html/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "util/sort.h"

static int add_threads(struct timeline *timeline)
{
	const struct summary *summary = timeline->summary;

	timeline->threads = calloc(summary->nthreads + 1, sizeof(*timeline->threads));
	if (!timeline->threads)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nthreads; i++) {
		const struct summary_thread *thread = &summary->threads[i];

		if (!thread->counts.calls)
			continue;
		timeline->threads[timeline->nthreads++] = (struct timeline_thread){
			.process = thread->process,
			.number = thread->number,
			.row = TIMELINE_NO_ROW,
			.calls = thread->counts.calls,
			.thread = thread,
		};
	}
	qsort(timeline->threads, timeline->nthreads, sizeof(*timeline->threads),
	      timeline_by_number);
	return 0;
}

static int more_calls(const void *a, const void *b, void *data)
{
	const struct timeline_thread *threads = data;
	const struct timeline_thread *x = &threads[*(const size_t *)a];
	const struct timeline_thread *y = &threads[*(const size_t *)b];

	return ORDER(y->calls, x->calls) ?: ORDER(x, y);
}

/*
 * Says which threads get rows of their own: the busiest. The processes of the
 * busiest come first, and each can show its other threads as one.
 */
static int choose(struct timeline *timeline)
{
	size_t *order = malloc((timeline->nthreads + 1) * sizeof(*order));
	size_t shown = 0, own = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->nthreads; i++)
		order[i] = i;
	qsort_r(order, timeline->nthreads, sizeof(*order), more_calls, timeline->threads);
	for (size_t i = 0; i < timeline->nthreads && shown < TIMELINE_PROCESSES; i++) {
		struct timeline_process *process =
			&timeline->processes[timeline->threads[order[i]].process];

		shown += !process->nrows;
		process->nrows = 1;
	}
	for (size_t i = 0; i < timeline->nthreads && own + shown < TIMELINE_ROWS; i++) {
		struct timeline_thread *thread = &timeline->threads[order[i]];

		if (!timeline->processes[thread->process].nrows)
			continue;
		thread->row = 0;
		own++;
	}
	free(order);
	return 0;
}

/* The rows of a process; threads are those from *first on that are its. */
static void add_rows(struct timeline *timeline, size_t index, size_t *first)
{
	const struct summary_process *summed = &timeline->summary->processes[index];
	struct timeline_process *process = &timeline->processes[index];
	struct timeline_row rest = { .process = (uint32_t)index, .nthreads = summed->nthreads,
				     .calls = summed->counts.calls };

	timeline->hidden += summed->nthreads && !process->nrows;
	process->first = timeline->nrows;
	for (; *first < timeline->nthreads && timeline->threads[*first].process == index; ++*first) {
		struct timeline_thread *thread = &timeline->threads[*first];

		if (thread->row == TIMELINE_NO_ROW)
			continue;
		thread->row = (uint32_t)timeline->nrows;
		timeline->rows[timeline->nrows++] = (struct timeline_row){
			.process = (uint32_t)index,
			.nthreads = 1,
			.calls = thread->calls,
			.thread = thread->thread,
		};
		rest.nthreads -= rest.nthreads > 0;
		rest.calls -= thread->calls;
	}
	if (process->nrows && rest.nthreads) {
		process->rest = true;
		timeline->rows[timeline->nrows++] = rest;
	}
	process->nrows = timeline->nrows - process->first;
}

static int more_row_calls(const void *a, const void *b)
{
	const struct timeline_row *x = *(struct timeline_row *const *)a;
	const struct timeline_row *y = *(struct timeline_row *const *)b;

	return ORDER(x->calls, y->calls) ?: ORDER(x, y);
}

/* The threads with the fewest calls show all of theirs. Returns how many rows do not; -ENOMEM. */
static ssize_t choose_complete(struct timeline *timeline)
{
	struct timeline_row **order = malloc((timeline->nrows + 1) * sizeof(*order));
	uint64_t calls = 0;
	size_t done = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->nrows; i++)
		order[i] = &timeline->rows[i];
	qsort(order, timeline->nrows, sizeof(struct timeline_row *), more_row_calls);
	for (size_t i = 0; i < timeline->nrows; i++) {
		calls += order[i]->calls;
		if (calls > TIMELINE_EXACT)
			break;
		order[i]->complete = order[i]->thread;
		done += order[i]->complete;
	}
	free(order);
	return (ssize_t)(timeline->nrows - done);
}

static void set_bins(struct timeline *timeline, size_t nrows)
{
	size_t bins = TIMELINE_BINS / (nrows ? nrows : 1);
	size_t cells = TIMELINE_CELLS / (nrows ? nrows : 1);

	if (bins > TIMELINE_ROW_BINS)
		bins = TIMELINE_ROW_BINS;
	if (cells > TIMELINE_ROW_CELLS)
		cells = TIMELINE_ROW_CELLS;
	while (timeline->length >> timeline->shift >= bins)
		timeline->shift++;
	timeline->nbins = (size_t)(timeline->length >> timeline->shift) + 1;
	timeline->cell_shift = timeline->shift;
	while (timeline->length >> timeline->cell_shift >= cells)
		timeline->cell_shift++;
	timeline->exact.most = TIMELINE_EXACT;
	timeline->longest.most = TIMELINE_LONGEST;
	timeline->syncs.most = TIMELINE_SYNCS;
	timeline->errors.most = TIMELINE_ERRORS;
	timeline->cells.most = TIMELINE_CELLS;
}

static int make_rows(struct timeline *timeline)
{
	const struct summary *summary = timeline->summary;
	size_t first = 0;
	ssize_t incomplete;

	timeline->from = summary->first_ns;
	timeline->length = summary->last_ns - summary->first_ns;
	timeline->processes = calloc(summary->nprocesses + 1, sizeof(*timeline->processes));
	timeline->rows = calloc(TIMELINE_ROWS + TIMELINE_PROCESSES, sizeof(*timeline->rows));
	if (!timeline->processes || !timeline->rows || add_threads(timeline) || choose(timeline))
		return -ENOMEM;
	for (size_t i = 0; i < summary->nprocesses; i++)
		add_rows(timeline, i, &first);
	incomplete = choose_complete(timeline);
	if (incomplete < 0)
		return -ENOMEM;
	set_bins(timeline, (size_t)incomplete);
	return 0;
}

static int by_row_and_start(const void *a, const void *b)
{
	const struct shown_call *x = a, *y = b;

	return ORDER(x->row, y->row) ?: ORDER(x->start, y->start) ?:
	       ORDER(y->duration, x->duration) ?: ORDER(x->correlation, y->correlation);
}

/* The calls of all heaps in one order, each once. */
static int gather(struct timeline *timeline)
{
	const struct heap *heaps[] = { &timeline->exact, &timeline->longest, &timeline->syncs,
				       &timeline->errors, &timeline->cells };
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++)
		count += heaps[i]->count;
	timeline->shown = malloc((count + 1) * sizeof(*timeline->shown));
	if (!timeline->shown)
		return -ENOMEM;
	count = 0;
	for (size_t i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++) {
		if (heaps[i]->count)
			memcpy(timeline->shown + count, heaps[i]->calls,
			       heaps[i]->count * sizeof(*timeline->shown));
		count += heaps[i]->count;
	}
	qsort(timeline->shown, count, sizeof(*timeline->shown), by_row_and_start);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_row_and_start(&timeline->shown[kept - 1], &timeline->shown[i]))
			timeline->shown[kept++] = timeline->shown[i];
	timeline->nshown = kept;
	return 0;
}

int timeline_build(struct timeline *timeline, const struct summary *summary)
{
	int error;

	*timeline = (struct timeline){
		.summary = summary, .functions.row = 1, .callers.row = 1, .kernels.row = 1,
		.range_texts.row = 1,
	};
	error = make_rows(timeline);
	for (size_t i = 0; !error && i < summary->nprocesses; i++)
		error = timeline_fill(timeline, i);
	timeline_order_ranges(timeline);
	return error ?: gather(timeline);
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->processes);
	free(timeline->threads);
	free(timeline->rows);
	for (size_t i = 0; i < timeline->nmarks; i++)
		free(timeline->marks[i].text);
	free(timeline->marks);
	free(timeline->ranges);
	table_free(&timeline->range_texts);
	free(timeline->exact.calls);
	free(timeline->longest.calls);
	free(timeline->syncs.calls);
	free(timeline->errors.calls);
	free(timeline->cells.calls);
	free(timeline->shown);
	table_free(&timeline->functions);
	table_free(&timeline->callers);
	table_free(&timeline->kernels);
	out_free(&timeline->texts);
}
