/* SPDX-License-Identifier: Apache-2.0 */
/* From what each trace says to the rows of a summary. */
#include "analysis/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"
#include "util/sort.h"

int gather_begin(struct summary *summary, size_t count)
{
	struct summary_store *store = calloc(1, sizeof(*store));

	*summary = (struct summary){ .first_ns = UINT64_MAX, .store = store };
	summary->processes = calloc(count + 1, sizeof(*summary->processes));
	if (!store || !summary->processes)
		return -ENOMEM;
	summary->nprocesses = count;
	store->functions.row = sizeof(struct summary_function);
	store->libraries.row = sizeof(struct summary_library);
	store->lines.row = 1;
	store->pairs.row = store->callers.row = store->kernels.row = store->ranges.row = sizeof(struct row_times);
	store->errors.row = sizeof(uint64_t);
	store->inside.row = sizeof(struct row_counts);
	store->texts.row = store->builds.row = 1;
	return 0;
}

/* A copy that lives as long as the summary; NULL when memory is out. */
static const char *keep(struct summary_store *store, const char *text)
{
	uint32_t number = table_text(&store->texts, text);

	return number == TABLE_NONE ? NULL : store->texts.keys[number].bytes;
}

/* Ticks squared as nanoseconds squared. */
static unsigned __int128 squares_of(const struct trace *trace, unsigned __int128 squares)
{
	long double ns = (long double)trace->mult / (long double)((unsigned __int128)1 << trace->shift);
	long double value = (long double)squares * ns * ns;

	return value < 1e38L ? (unsigned __int128)value : (unsigned __int128)1e38L;
}

static int add_times(struct row_times *times, const struct trace *trace,
		     const struct tally_cell *cell)
{
	struct row_times ns = cell->times;

	ns.total = trace_duration(trace, ns.total);
	ns.min = trace_duration(trace, ns.min);
	ns.max = trace_duration(trace, ns.max);
	ns.squares = squares_of(trace, ns.squares);
	return tally_times(times, &ns);
}

/* Adds to the row of that key. */
static int add_row(struct table *table, const void *key, size_t size, const struct trace *trace,
		   const struct tally_cell *cell)
{
	uint32_t number = table_find(table, key, size);

	return number == TABLE_NONE ? -ENOMEM : add_times(table_row(table, number), trace, cell);
}

/* The trace's functions and libraries as those of the summary. */
struct names {
	uint32_t *functions, *libraries, *builds;
};

static int number_functions(struct summary_store *store, const struct trace *trace,
			    uint32_t *numbers)
{
	for (size_t i = 0; i < trace->nfunctions; i++) {
		const struct trace_function *function = &trace->functions[i];
		struct summary_function *row;
		const char *base = keep(store, function->base);

		numbers[i] = table_text(&store->functions, function->name);
		if (!base || numbers[i] == TABLE_NONE)
			return -ENOMEM;
		row = table_row(&store->functions, numbers[i]);
		row->name = store->functions.keys[numbers[i]].bytes;
		/* Whichever file is the first to be read. */
		if (!row->base || strcmp(base, row->base) < 0)
			row->base = base;
		row->classes |= function->classes;
		row->runtime |= function->runtime;
	}
	return 0;
}

static int number_libraries(struct summary_store *store, const struct trace *trace,
			    uint32_t *numbers)
{
	for (size_t i = 0; i < trace->nlibraries; i++) {
		const char *path = trace->libraries[i].path;
		struct summary_library *row;

		numbers[i] = table_text(&store->libraries, path);
		if (numbers[i] == TABLE_NONE)
			return -ENOMEM;
		row = table_row(&store->libraries, numbers[i]);
		row->path = store->libraries.keys[numbers[i]].bytes;
	}
	return 0;
}

static struct gather_caller caller_of(const struct trace *trace, const struct trace_site *site,
				      const struct names *names)
{
	return (struct gather_caller){
		.function = names->functions[site->function],
		.library = names->libraries[site->library],
		.build = names->builds[site->library],
		.offset = site->caller - trace->libraries[site->library].base,
	};
}

/* Which file each library is. */
static int number_builds(struct summary_store *store, const struct trace *trace,
			 const struct names *names)
{
	for (size_t i = 0; i < trace->nlibraries; i++) {
		const struct trace_library *library = &trace->libraries[i];
		struct summary_build build = { keep(store, trace_library_file(trace, i)),
					       library->id_size, { 0 }, 0 };

		if (!build.path)
			return -ENOMEM;
		memcpy(build.id, library->build_id, library->id_size);
		names->builds[i] = table_find(&store->builds, &build, sizeof(build));
		if (names->builds[i] == TABLE_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* A line of Python as the summary has it, + 1; 0: memory is out. */
static uint32_t number_line(struct summary_store *store, const struct trace_python *python)
{
	size_t name = strlen(python->name) + 1, file = strlen(python->file) + 1;
	char *key = malloc(sizeof(python->line) + name + file);
	uint32_t number;

	if (!key)
		return 0;
	memcpy(key, &python->line, sizeof(python->line));
	memcpy(key + sizeof(python->line), python->name, name);
	memcpy(key + sizeof(python->line) + name, python->file, file);
	number = table_find(&store->lines, key, sizeof(python->line) + name + file);
	free(key);
	return number + 1;
}

/* Callers with the lines of Python that they were called from. */
static int add_lines(struct summary_store *store, const struct trace *trace,
		     const struct tally *tally, const struct names *names)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < tally->lines.count; i++) {
		const struct tally_line *line = tally->lines.keys[i].bytes;
		const struct tally_cell cell = {
			.times = *(struct row_times *)table_row(&tally->lines, i)
		};
		struct gather_caller key = caller_of(trace, &trace->sites[line->site], names);

		if (line->python != TRACE_NONE) {
			key.python = number_line(store, &trace->pythons[line->python]);
			if (!key.python)
				return -ENOMEM;
		}
		error = add_row(&store->callers, &key, sizeof(key), trace, &cell);
	}
	return error;
}

static int add_sites(struct summary_store *store, const struct trace *trace,
		     const struct tally *tally, const struct names *names, bool callers)
{
	int error = 0;

	for (size_t i = 0; !error && i < trace->nsites; i++) {
		const struct trace_site *site = &trace->sites[i];
		struct gather_caller key;

		if (!tally->sites[i])
			continue;
		key = caller_of(trace, site, names);
		error = add_row(&store->pairs, &(struct gather_pair){ key.function, key.library },
				sizeof(struct gather_pair), trace, tally->sites[i]);
		if (!error && callers && !trace->npythons)
			error = add_row(&store->callers, &key, sizeof(key), trace, tally->sites[i]);
	}
	if (!error && callers)
		error = add_lines(store, trace, tally, names);
	return error;
}

static int add_kernels(struct summary_store *store, const struct trace *trace,
		       const struct tally *tally)
{
	const struct tally_cell *unknown = tally->kernels[trace->nnames];
	int error = unknown ? add_times(&store->unknown, trace, unknown) : 0;
	size_t i = 0;

	/* Each name once; they are in the order of handles. */
	for (; !error && i < trace->nkernels; i++) {
		const struct trace_kernel *kernel = &trace->kernels[i];
		struct tally_cell *cell = tally->kernels[kernel->number];

		if (!cell)
			continue;
		error = add_row(&store->kernels, kernel->name, strlen(kernel->name) + 1, trace,
				cell);
		tally->kernels[kernel->number] = NULL;
		histogram_free(&cell->times.histogram);
		free(cell);
	}
	return error;
}

static int add_ranges(struct summary_store *store, const struct trace *trace, const struct tally *tally)
{
	size_t count = tally->named ? tally->ranges->texts.count : 0;
	int error = tally->named && tally->named[count] ?
		    add_times(&store->outside, trace, tally->named[count]) : 0;

	for (size_t i = 0; !error && i < count; i++) {
		const struct table_key *key = &tally->ranges->texts.keys[i];

		if (tally->named[i])
			error = add_row(&store->ranges, key->bytes, key->size, trace, tally->named[i]);
	}
	return error;
}

static void add_copies(struct summary *summary, const struct trace *trace,
		       const struct tally *tally)
{
	for (int i = 0; i < COPY_DIRECTIONS; i++) {
		for (int waited = 0; waited < 2; waited++) {
			const struct tally_copies *from = &tally->copies[i][waited];
			struct summary_copies *to = &summary->copies[i][waited];

			to->counts.calls += from->calls;
			to->unsized += from->unsized;
			to->bytes += from->bytes;
			to->counts.total += trace_duration(trace, from->total);
			to->sized_ns += trace_duration(trace, from->sized);
			summary->ncopies += from->calls;
		}
	}
}

static int add_errors(struct summary_store *store, const struct trace *trace,
		      const struct tally *tally, const struct names *names)
{
	for (uint32_t i = 0; i < tally->errors.count; i++) {
		const struct tally_error *error = tally->errors.keys[i].bytes;
		struct gather_error key = {
			caller_of(trace, &trace->sites[error->site], names), error->result
		};
		uint32_t number;

		number = table_find(&store->errors, &key, sizeof(key));
		if (number == TABLE_NONE)
			return -ENOMEM;
		*(uint64_t *)table_row(&store->errors, number) +=
			*(uint64_t *)table_row(&tally->errors, i);
	}
	return 0;
}

static struct row_counts counts_of(const struct trace *trace, const struct row_counts *from)
{
	return (struct row_counts){ from->calls, from->errors, from->not_ready,
					trace_duration(trace, from->total) };
}

static int add_inside(struct summary_store *store, const struct trace *trace,
		      const struct tally *tally, const struct names *names)
{
	const struct table *calls = &tally->inside.calls;

	for (uint32_t i = 0; i < calls->count; i++) {
		const struct inside_key *from = calls->keys[i].bytes;
		const struct trace_site *outer = &trace->sites[from->outer];
		struct gather_inside key = {
			{ names->functions[outer->function], names->libraries[outer->library] },
			names->functions[trace->sites[from->inner].function]
		};
		struct row_counts counts = counts_of(trace, table_row(calls, i));
		uint32_t number = table_find(&store->inside, &key, sizeof(key));

		if (number == TABLE_NONE)
			return -ENOMEM;
		row_add(table_row(&store->inside, number), &counts);
	}
	return 0;
}

static int add_thread(struct summary *summary, const struct summary_thread *thread)
{
	struct summary_thread *rows = bytes_grown(summary->threads, &summary->store->threads_room,
						  summary->nthreads, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	summary->threads = rows;
	rows[summary->nthreads++] = *thread;
	return 0;
}

static int compare_shares(const void *a, const void *b, void *data)
{
	const struct summary_share *x = a, *y = b;
	const struct summary *summary = data;
	const struct table *functions = &summary->store->functions;

	return row_compare(&x->counts, &y->counts) ?:
	       strcmp(functions->keys[x->function].bytes, functions->keys[y->function].bytes);
}

/* The shares of one thread, those that take the most time. */
static int busiest(struct summary *summary, const struct trace *trace, const struct names *names,
		   const struct tally_share *from, size_t count, struct summary_thread *thread)
{
	struct summary_share *shares = calloc(count + 1, sizeof(*shares));
	struct summary_share *kept = calloc(ROW_BUSIEST, sizeof(*kept));

	if (!shares || !kept) {
		free(shares);
		free(kept);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		shares[i] = (struct summary_share){ names->functions[from[i].function],
						    counts_of(trace, &from[i].counts) };
	qsort_r(shares, count, sizeof(*shares), compare_shares, summary);
	memcpy(kept, shares, (count < ROW_BUSIEST ? count : ROW_BUSIEST) * sizeof(*kept));
	free(shares);
	thread->functions = kept;
	thread->nfunctions = count;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	return ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* The numbers of a tally's threads, sorted. */
static uint32_t *numbers_of(const struct tally *tally)
{
	uint32_t *numbers = calloc(tally->threads.count + 1, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < tally->threads.count; i++)
		numbers[i] = *(const uint32_t *)tally->threads.keys[i].bytes;
	if (numbers && tally->threads.count > 1)
		qsort(numbers, tally->threads.count, sizeof(*numbers), compare_numbers);
	return numbers;
}

/* With its shares, the first count of from. */
static int take_thread(struct summary *summary, uint32_t process, uint32_t number,
		       const struct trace *trace, struct tally *tally, const struct names *names,
		       const struct tally_share *from, size_t count)
{
	const struct trace_thread *described = trace_thread(trace, number);
	uint32_t row = table_find(&tally->threads, &number, sizeof(number));
	struct summary_thread thread = {
		.process = process,
		.number = number,
		.counts = counts_of(trace, table_row(&tally->threads, row)),
	};
	int error;

	if (described) {
		thread.tid = described->tid;
		memcpy(thread.name, described->name, sizeof(thread.name));
	}
	error = busiest(summary, trace, names, from, count, &thread);
	if (!error && (error = add_thread(summary, &thread)))
		free((void *)(uintptr_t)thread.functions);
	return error;
}

static int add_threads(struct summary *summary, const struct summary_options *options,
		       uint32_t process, const struct trace *trace, struct tally *tally,
		       const struct names *names)
{
	uint32_t *numbers = numbers_of(tally);
	int error = numbers ? 0 : -ENOMEM;
	size_t at = 0;

	tally_settle(tally);
	summary->processes[process].nthreads = tally->threads.count;
	for (size_t i = 0; !error && i < tally->threads.count; i++) {
		size_t first = at;

		while (at < tally->nshares && tally->shares[at].thread == numbers[i])
			at++;
		error = take_thread(summary, process, numbers[i], trace, tally, names,
				    &tally->shares[first], at - first);
		if (summary->nthreads >= 2 * options->threads + 1024)
			gather_threads(summary, options->threads);
	}
	free(numbers);
	return error;
}

/* The process's functions: one share each, from the sites. */
static int add_shares(struct summary *summary, const struct trace *trace,
		      const struct tally *tally, const struct names *names,
		      struct summary_process *process)
{
	struct row_counts *counts = calloc(trace->nfunctions + 1, sizeof(*counts));
	struct summary_share *shares;
	size_t count = 0;

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nsites; i++) {
		const struct tally_cell *cell = tally->sites[i];
		struct row_counts *to;

		if (!cell)
			continue;
		to = &counts[trace->sites[i].function];
		count += !to->calls;
		row_add(to, &cell->times);
	}
	shares = calloc(count + 1, sizeof(*shares));
	if (shares) {
		count = 0;
		for (size_t i = 0; i < trace->nfunctions; i++)
			if (counts[i].calls)
				shares[count++] = (struct summary_share){
					names->functions[i], counts_of(trace, &counts[i]) };
		qsort_r(shares, count, sizeof(*shares), compare_shares, summary);
		process->functions = shares;
		process->nfunctions = count;
	}
	free(counts);
	return shares ? 0 : -ENOMEM;
}

static int add_open_call(struct summary *summary, const struct summary_open *open)
{
	struct summary_open *rows = bytes_grown(summary->open, &summary->store->open_room,
						summary->nopen, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	summary->open = rows;
	rows[summary->nopen++] = *open;
	return 0;
}

static int add_open(struct summary *summary, uint32_t process, const struct trace *trace,
		    const struct names *names)
{
	uint64_t ticks, last;
	int error = trace_until(trace, &ticks);

	if (error)
		return error;
	last = trace_ns(trace, ticks);

	for (size_t i = 0; i < trace->nchunks * CUAUDIT_TRACE_OPEN; i++) {
		const struct trace_chunk *chunk = &trace->chunks[i / CUAUDIT_TRACE_OPEN];
		const struct cuaudit_trace_open *call = &chunk->open[i % CUAUDIT_TRACE_OPEN];
		const struct trace_thread *thread;
		struct summary_open open = { .process = process };

		if (!call->ticks || call->site >= trace->nsites ||
		    trace->sites[call->site].function == TRACE_NONE)
			continue;
		open.function = names->functions[trace->sites[call->site].function];
		error = trace_chunk_owner(trace, i / CUAUDIT_TRACE_OPEN, &open.thread);
		if (error)
			return error;
		thread = trace_thread(trace, open.thread);
		open.tid = thread ? thread->tid : 0;
		open.since_ns = trace_ns(trace, call->ticks);
		open.for_ns = last > open.since_ns ? last - open.since_ns : 0;
		if (add_open_call(summary, &open))
			return -ENOMEM;
	}
	return 0;
}

static int add_process(struct summary *summary, struct summary_process *process,
		       const struct trace *trace, const struct tally *tally)
{
	const struct cuaudit_trace_header *header = &trace->header;
	struct row_counts counts = { .calls = 0 };
	char command[sizeof(header->command)];

	process->program = keep(summary->store, header->program);
	process->host = keep(summary->store, header->host);
	trace_command(trace, command);
	process->command = keep(summary->store, command);
	if (!process->program || !process->host || !process->command)
		return -ENOMEM;
	process->pid = header->pid;
	process->parent = header->parent;
	process->rank = header->rank < 0 ? -1 : header->rank;
	process->finished = header->flags & CUAUDIT_TRACE_FINISHED;
	process->ending = trace_ending(header);
	process->status = trace_status(header);
	process->arguments = header->flags & CUAUDIT_TRACE_ARGUMENTS;
	process->ring = header->flags & CUAUDIT_TRACE_RING;
	process->error = header->error;
	process->losses = trace_losses(trace, tally->damaged);
	process->steps = trace->steps;
	process->step_ns = trace->step_ns;
	for (size_t i = 0; i < trace->nchunks; i++)
		process->filtered += trace->chunks[i].filtered;
	process->partial = process->filtered || process->losses.damaged || process->losses.torn;
	for (size_t i = 0; i < trace->nmarks; i++) {
		if (trace->marks[i].kind != CUAUDIT_TRACE_MARK_NO_PYTHON)
			process->partial = true;
		else if (!process->no_python)
			process->no_python = keep(summary->store, trace->marks[i].text);
	}
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		process->partial |= process->losses.calls[i] != 0;
	for (uint32_t i = 0; i < tally->threads.count; i++)
		row_add(&counts, table_row(&tally->threads, i));
	process->counts = counts_of(trace, &counts);
	if (process->counts.calls) {
		process->first_ns = trace_ns(trace, tally->first);
		process->last_ns = trace_ns(trace, tally->last);
	}
	return 0;
}

int gather_fault(struct summary *summary, uint32_t process, const char *fault)
{
	struct summary_process *row = &summary->processes[process];

	row->rank = -1;
	row->fault = keep(summary->store, fault);
	return row->fault ? 0 : -ENOMEM;
}

int gather_add(struct summary *summary, const struct summary_options *options, uint32_t process,
	       const struct trace *trace, struct tally *tally)
{
	struct summary_store *store = summary->store;
	struct summary_process *row = &summary->processes[process];
	struct names names = {
		calloc(trace->nfunctions + 1, sizeof(*names.functions)),
		calloc(trace->nlibraries + 1, sizeof(*names.libraries)),
		calloc(trace->nlibraries + 1, sizeof(*names.builds)),
	};
	int error = (names.functions && names.libraries && names.builds ? 0 : -ENOMEM) ?:
		    number_functions(store, trace, names.functions) ?:
		    number_libraries(store, trace, names.libraries) ?:
		    number_builds(store, trace, &names) ?:
		    add_sites(store, trace, tally, &names, options->callers) ?:
		    add_kernels(store, trace, tally) ?: add_ranges(store, trace, tally) ?:
		    add_errors(store, trace, tally, &names) ?:
		    add_inside(store, trace, tally, &names);

	add_copies(summary, trace, tally);
	error = error ?: add_process(summary, row, trace, tally) ?:
		add_shares(summary, trace, tally, &names, row) ?:
		add_threads(summary, options, process, trace, tally, &names) ?:
		add_open(summary, process, trace, &names);
	free(names.functions);
	free(names.libraries);
	free(names.builds);
	return error;
}

static int compare_threads(const void *a, const void *b)
{
	const struct summary_thread *x = a, *y = b;

	return row_compare(&x->counts, &y->counts) ?: ORDER(x->process, y->process) ?:
	       ORDER(x->number, y->number);
}

void gather_threads(struct summary *summary, size_t limit)
{
	if (summary->nthreads > 1)
		qsort(summary->threads, summary->nthreads, sizeof(*summary->threads),
		      compare_threads);
	while (summary->nthreads > limit) {
		struct summary_thread *thread = &summary->threads[--summary->nthreads];

		row_add(&summary->others, &thread->counts);
		summary->nothers++;
		free((void *)(uintptr_t)thread->functions);
	}
}
