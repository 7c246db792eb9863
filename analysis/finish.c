/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a summary in their order, with what follows from others. */
#include <cuaudit/api.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gather.h"
#include "util/sort.h"

static uint64_t percentile(const struct row_times *times, unsigned int percent)
{
	uint64_t ns = histogram_percentile(&times->histogram, percent);

	ns = ns < times->min ? times->min : ns;
	return ns > times->max ? times->max : ns;
}

static void work_out(struct row_times *times)
{
	long double calls = (long double)times->calls, total = (long double)times->total;
	long double variance;

	if (!times->calls)
		return;
	times->avg = (times->total + times->calls / 2) / times->calls;
	times->p50 = percentile(times, 50);
	times->p90 = percentile(times, 90);
	times->p99 = percentile(times, 99);
	if (times->calls < 2)
		return;
	/* Of a sample. */
	variance = ((long double)times->squares - total / calls * total) / (calls - 1);
	times->stddev = variance > 0 ? (uint64_t)(sqrtl(variance) + 0.5L) : 0;
}

static int compare_functions(const void *a, const void *b)
{
	const struct summary_function *x = a, *y = b;

	return row_compare(&x->times, &y->times) ?: strcmp(x->name, y->name);
}

static int compare_libraries(const void *a, const void *b)
{
	const struct summary_library *x = a, *y = b;

	return row_compare(&x->times, &y->times) ?: strcmp(x->path, y->path);
}

static int compare_kernels(const void *a, const void *b)
{
	const struct summary_kernel *x = a, *y = b;

	return row_compare(&x->times, &y->times) ?:
	       strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

/* A library's together. Indices of functions and libraries are in their order by now. */
static int compare_pairs(const void *a, const void *b)
{
	const struct summary_pair *x = a, *y = b;

	return ORDER(x->library, y->library) ?: row_compare(&x->times, &y->times) ?:
	       ORDER(x->function, y->function);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_callers(const void *a, const void *b)
{
	const struct summary_caller *x = a, *y = b;

	return row_compare(&x->times, &y->times) ?: ORDER(x->function, y->function) ?:
	       ORDER(x->library, y->library) ?: ORDER(x->offset, y->offset) ?:
	       ORDER(x->build, y->build) ?: ORDER(x->line, y->line) ?:
	       compare_texts(x->file, y->file) ?: compare_texts(x->python, y->python);
}

static int compare_open(const void *a, const void *b)
{
	const struct summary_open *x = a, *y = b;

	return ORDER(y->for_ns, x->for_ns) ?: ORDER(x->process, y->process) ?:
	       ORDER(x->thread, y->thread) ?: ORDER(x->function, y->function);
}

static void order(void *rows, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(rows, count, size, compare);
}

/* Room for where each row goes. */
static uint32_t *places(const struct table *table)
{
	return calloc(table->count + 1, sizeof(uint32_t));
}

static int add_pairs(struct summary_store *store)
{
	for (uint32_t i = 0; i < store->pairs.count; i++) {
		const struct gather_pair *pair = store->pairs.keys[i].bytes;
		const struct row_times *times = table_row(&store->pairs, i);
		struct summary_function *function = table_row(&store->functions, pair->function);
		struct summary_library *library = table_row(&store->libraries, pair->library);

		if (tally_times(&function->times, times) || tally_times(&library->times, times))
			return -ENOMEM;
	}
	return 0;
}

/* Rows of a table, sorted; numbers get each one's place, by the name its key is. */
static void *sorted(struct table *table, uint32_t *numbers, size_t name_at,
		    int (*compare)(const void *, const void *))
{
	char *rows = calloc(table->count + 1, table->row);

	if (!rows)
		return NULL;
	if (table->count)
		memcpy(rows, table->rows, table->count * table->row);
	order(rows, table->count, table->row, compare);
	for (uint32_t i = 0; i < table->count; i++) {
		const char *name = *(const char **)(rows + i * table->row + name_at);

		numbers[table_text(table, name)] = i;
	}
	return rows;
}

static int take_pairs(struct summary *summary, const uint32_t *functions, const uint32_t *libraries)
{
	struct summary_store *store = summary->store;
	struct table *pairs = &store->pairs;

	store->rows = calloc(pairs->count + 1, sizeof(*store->rows));
	if (!store->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct gather_pair *key = pairs->keys[i].bytes;
		struct summary_pair *pair = &store->rows[store->nrows++];

		pair->function = functions[key->function];
		pair->library = libraries[key->library];
		pair->times = *(struct row_times *)table_row(pairs, i);
		work_out(&pair->times);
	}
	/* The histograms have new owners. */
	pairs->count = 0;
	order(store->rows, store->nrows, sizeof(*store->rows), compare_pairs);
	for (size_t i = store->nrows; i-- > 0;) {
		struct summary_library *library = &summary->libraries[store->rows[i].library];

		library->pairs = &store->rows[i];
		library->npairs++;
	}
	return 0;
}

/* The library's calls of that function. */
static const struct summary_pair *pair_of(const struct summary_library *library, uint32_t function)
{
	for (size_t i = 0; i < library->npairs; i++)
		if (library->pairs[i].function == function)
			return &library->pairs[i];
	return NULL;
}

static int compare_inside(const void *a, const void *b)
{
	const struct summary_inside *x = a, *y = b;

	return ORDER(x->outer, y->outer) ?: row_compare(&x->counts, &y->counts) ?:
	       ORDER(x->function, y->function);
}

static int take_inside(struct summary *summary, const uint32_t *functions, const uint32_t *libraries)
{
	const struct table *inside = &summary->store->inside;

	summary->inside = calloc(inside->count + 1, sizeof(*summary->inside));
	if (!summary->inside)
		return -ENOMEM;
	for (uint32_t i = 0; i < inside->count; i++) {
		const struct gather_inside *key = inside->keys[i].bytes;
		struct summary_inside *row = &summary->inside[summary->ninside];

		row->outer = pair_of(&summary->libraries[libraries[key->outer.library]],
				     functions[key->outer.function]);
		row->function = functions[key->function];
		row->counts = *(const struct row_counts *)table_row(inside, i);
		summary->ninside += row->outer != NULL;
	}
	order(summary->inside, summary->ninside, sizeof(*summary->inside), compare_inside);
	return 0;
}

static int compare_waits(const void *a, const void *b)
{
	const struct summary_pair *x = *(const struct summary_pair *const *)a;
	const struct summary_pair *y = *(const struct summary_pair *const *)b;

	return row_compare(&x->times, &y->times) ?: ORDER(x->library, y->library) ?:
	       ORDER(x->function, y->function);
}

static int take_waits(struct summary *summary)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->nlibraries; i++)
		count += summary->libraries[i].npairs;
	summary->waits = calloc(count + 1, sizeof(struct summary_pair *));
	if (!summary->waits)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nlibraries; i++) {
		const struct summary_library *library = &summary->libraries[i];

		for (size_t j = 0; j < library->npairs; j++)
			if (summary->functions[library->pairs[j].function].classes & CUAUDIT_CLASS_SYNC)
				summary->waits[summary->nwaits++] = &library->pairs[j];
	}
	order(summary->waits, summary->nwaits, sizeof(struct summary_pair *), compare_waits);
	return 0;
}

/* A build of the store, and its number there. */
struct numbered {
	struct summary_build build;
	uint32_t number;
};

static int compare_builds(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return strcmp(x->build.path, y->build.path) ?:
	       memcmp(x->build.id, y->build.id, sizeof(x->build.id));
}

/* Sorted, so that the order in which files were read is not seen; numbers get each one's place. */
static int take_builds(struct summary *summary, uint32_t *numbers)
{
	const struct table *builds = &summary->store->builds;
	struct numbered *sorted = calloc(builds->count + 1, sizeof(*sorted));

	summary->builds = calloc(builds->count + 1, sizeof(*summary->builds));
	if (!sorted || !summary->builds) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < builds->count; i++)
		sorted[i] = (struct numbered){ *(const struct summary_build *)builds->keys[i].bytes, i };
	order(sorted, builds->count, sizeof(*sorted), compare_builds);
	for (uint32_t i = 0; i < builds->count; i++) {
		summary->builds[i] = sorted[i].build;
		numbers[sorted[i].number] = i;
	}
	free(sorted);
	return 0;
}

/* From a key of gather.c. */
static void take_line(struct summary_caller *caller, const char *key)
{
	memcpy(&caller->line, key, sizeof(caller->line));
	caller->python = key + sizeof(caller->line);
	caller->file = caller->python + strlen(caller->python) + 1;
}

static int take_callers(struct summary *summary, const uint32_t *functions,
			const uint32_t *libraries)
{
	struct table *callers = &summary->store->callers;
	uint32_t *builds = places(&summary->store->builds);

	summary->callers = calloc(callers->count + 1, sizeof(*summary->callers));
	if (!summary->callers || !builds || take_builds(summary, builds)) {
		free(builds);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < callers->count; i++) {
		const struct gather_caller *key = callers->keys[i].bytes;
		struct summary_caller *caller = &summary->callers[summary->ncallers++];

		caller->function = functions[key->function];
		caller->library = libraries[key->library];
		caller->build = builds[key->build];
		caller->offset = key->offset;
		if (key->python)
			take_line(caller, summary->store->lines.keys[key->python - 1].bytes);
		caller->times = *(struct row_times *)table_row(callers, i);
		work_out(&caller->times);
	}
	free(builds);
	callers->count = 0;
	order(summary->callers, summary->ncallers, sizeof(*summary->callers), compare_callers);
	return 0;
}

static int take_kernels(struct summary *summary)
{
	struct summary_store *store = summary->store;
	struct table *kernels = &store->kernels;

	summary->kernels = calloc(kernels->count + 1, sizeof(*summary->kernels));
	if (!summary->kernels)
		return -ENOMEM;
	for (uint32_t i = 0; i < kernels->count; i++)
		summary->kernels[summary->nkernels++] = (struct summary_kernel){
			kernels->keys[i].bytes, *(struct row_times *)table_row(kernels, i) };
	kernels->count = 0;
	if (store->unknown.calls)
		summary->kernels[summary->nkernels++].times = store->unknown;
	store->unknown = (struct row_times){ .calls = 0 };
	for (size_t i = 0; i < summary->nkernels; i++)
		work_out(&summary->kernels[i].times);
	order(summary->kernels, summary->nkernels, sizeof(*summary->kernels), compare_kernels);
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct summary_range *x = a, *y = b;

	return row_compare(&x->times, &y->times) ?:
	       strcmp(x->text ? x->text : "", y->text ? y->text : "");
}

static int take_ranges(struct summary *summary)
{
	struct summary_store *store = summary->store;
	struct table *ranges = &store->ranges;

	summary->ranges = calloc(ranges->count + 1, sizeof(*summary->ranges));
	if (!summary->ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < ranges->count; i++)
		summary->ranges[summary->nranges++] = (struct summary_range){
			ranges->keys[i].bytes, *(struct row_times *)table_row(ranges, i) };
	ranges->count = 0;
	if (store->outside.calls)
		summary->ranges[summary->nranges++].times = store->outside;
	store->outside = (struct row_times){ .calls = 0 };
	for (size_t i = 0; i < summary->nranges; i++)
		work_out(&summary->ranges[i].times);
	order(summary->ranges, summary->nranges, sizeof(*summary->ranges), compare_ranges);
	return 0;
}

static int take_errors(struct summary *summary)
{
	const struct summary_store *store = summary->store;
	const struct table *errors = &store->errors;
	struct error_calls *calls = arena_take(&summary->memory, errors->count, sizeof(*calls));

	if (!calls)
		return -ENOMEM;
	for (uint32_t i = 0; i < errors->count; i++) {
		const struct gather_error *key = errors->keys[i].bytes;
		const struct summary_build *build = store->builds.keys[key->caller.build].bytes;

		calls[i] = (struct error_calls){
			.function = store->functions.keys[key->caller.function].bytes,
			.library = store->libraries.keys[key->caller.library].bytes,
			.offset = key->caller.offset,
			.file = build->path, .build_id = build->id, .id_size = build->id_size,
			.result = (int32_t)key->result,
			.count = *(uint64_t *)table_row(errors, i)
		};
	}
	return error_rows_fill(&summary->errors, &summary->memory, calls, errors->count);
}

static void renumber(const struct summary_share *shares, size_t count, const uint32_t *functions)
{
	struct summary_share *at = (struct summary_share *)(uintptr_t)shares;

	for (size_t i = 0; i < count; i++)
		at[i].function = functions[at[i].function];
}

static void renumber_all(struct summary *summary, const uint32_t *functions)
{
	for (size_t i = 0; i < summary->nprocesses; i++)
		renumber(summary->processes[i].functions, summary->processes[i].nfunctions,
			 functions);
	for (size_t i = 0; i < summary->nthreads; i++) {
		const struct summary_thread *thread = &summary->threads[i];

		renumber(thread->functions, thread->nfunctions < ROW_BUSIEST ?
			 thread->nfunctions : ROW_BUSIEST, functions);
	}
	for (size_t i = 0; i < summary->nopen; i++)
		summary->open[i].function = functions[summary->open[i].function];
	order(summary->open, summary->nopen, sizeof(*summary->open), compare_open);
}

static void widen(uint64_t *first, uint64_t *last, const struct summary_process *process)
{
	if (!process->counts.calls)
		return;
	if (!*last || process->first_ns < *first)
		*first = process->first_ns;
	if (process->last_ns > *last)
		*last = process->last_ns;
}

static void add_totals(struct summary *summary)
{
	summary->first_ns = 0;
	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		summary->faults += process->fault != NULL;
		row_add(&summary->counts, &process->counts);
		widen(&summary->first_ns, &summary->last_ns, process);
	}
}

static int compare_ranks(const void *a, const void *b)
{
	const struct summary_rank *x = a, *y = b;

	return ORDER(x->rank, y->rank);
}

/* One row a process, then those of the same rank together. */
static int add_ranks(struct summary *summary)
{
	struct summary_rank *ranks = calloc(summary->nprocesses + 1, sizeof(*ranks));
	struct table table = { .row = sizeof(*ranks) };

	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];
		struct summary_rank *rank;
		uint32_t number;

		if (process->fault)
			continue;
		number = table_find(&table, &process->rank, sizeof(process->rank));
		if (number == TABLE_NONE) {
			table_free(&table);
			free(ranks);
			return -ENOMEM;
		}
		rank = &ranks[number];
		summary->nranked += process->rank >= 0 && !rank->nprocesses;
		rank->rank = process->rank;
		rank->nprocesses++;
		rank->nthreads += process->nthreads;
		rank->peak += process->memory.device.peak;
		row_add(&rank->counts, &process->counts);
		widen(&rank->first_ns, &rank->last_ns, process);
	}
	summary->ranks = ranks;
	summary->nranks = table.count;
	table_free(&table);
	order(ranks, summary->nranks, sizeof(*ranks), compare_ranks);
	return 0;
}

static int take_rows(struct summary *summary, uint32_t *functions, uint32_t *libraries)
{
	struct summary_store *store = summary->store;
	int error = add_pairs(store);

	if (error)
		return error;
	summary->functions = sorted(&store->functions, functions,
				    offsetof(struct summary_function, name), compare_functions);
	summary->libraries = sorted(&store->libraries, libraries,
				    offsetof(struct summary_library, path), compare_libraries);
	if (!summary->functions || !summary->libraries)
		return -ENOMEM;
	summary->nfunctions = store->functions.count;
	summary->nlibraries = store->libraries.count;
	store->functions.count = store->libraries.count = 0;
	for (size_t i = 0; i < summary->nfunctions; i++)
		work_out(&summary->functions[i].times);
	for (size_t i = 0; i < summary->nlibraries; i++)
		work_out(&summary->libraries[i].times);
	error = take_pairs(summary, functions, libraries) ?: take_waits(summary) ?:
		take_inside(summary, functions, libraries) ?:
		take_callers(summary, functions, libraries) ?: take_errors(summary);
	if (!error)
		renumber_all(summary, functions);
	return error;
}

int gather_finish(struct summary *summary, const struct summary_options *options)
{
	uint32_t *functions = places(&summary->store->functions);
	uint32_t *libraries = places(&summary->store->libraries);
	int error = functions && libraries ? 0 : -ENOMEM;

	gather_threads(summary, options->threads);
	error = error ?: take_rows(summary, functions, libraries) ?: take_kernels(summary) ?: take_ranges(summary) ?:
		add_ranks(summary);
	add_totals(summary);
	free(functions);
	free(libraries);
	return error;
}

size_t summary_called(const struct summary *summary)
{
	size_t count = summary->nfunctions;

	while (count && !summary->functions[count - 1].times.calls)
		count--;
	return count;
}

size_t summary_called_from(const struct summary *summary)
{
	size_t count = summary->nlibraries;

	while (count && !summary->libraries[count - 1].times.calls)
		count--;
	return count;
}

bool summary_has_runtime(const struct summary *summary)
{
	size_t count = summary_called(summary);
	bool has = false;

	for (size_t i = 0; i < count; i++)
		has |= summary->functions[i].runtime;
	return has;
}
