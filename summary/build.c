/* SPDX-License-Identifier: Apache-2.0 */
/* A summary of files, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "summary/gather.h"

/* What the functions of a trace do. */
static struct fact *facts_of(const struct trace *trace)
{
	struct fact *facts = calloc(trace->nfunctions + 1, sizeof(*facts));

	for (size_t i = 0; facts && i < trace->nfunctions; i++)
		facts[i] = fact_of(&trace->functions[i]);
	return facts;
}

static int add_file(struct summary *summary, const struct summary_options *options,
		    uint32_t process)
{
	struct summary_process *row = &summary->processes[process];
	struct fact *facts = NULL;
	struct tally tally = { .trace = NULL };
	struct trace trace;
	int error = 0;

	row->rank = -1;
	row->fault = trace_open(&trace, row->path);
	if (!row->fault) {
		facts = facts_of(&trace);
		error = facts ? tally_begin(&tally, &trace, facts) : -ENOMEM;
		if (!error)
			error = tally_chunks(&tally, 0, trace.nchunks);
		if (!error)
			error = gather_add(summary, options, process, &trace, &tally);
		tally_free(&tally);
		free(facts);
	}
	trace_close(&trace);
	return error;
}

int summary_build(struct summary *summary, char *const *paths, size_t count,
		  const struct summary_options *options)
{
	int error = gather_begin(summary, count);

	for (uint32_t i = 0; !error && i < count; i++) {
		summary->processes[i].path = paths[i];
		error = add_file(summary, options, i);
	}
	return error ? error : gather_finish(summary, options);
}

static void free_times(struct summary_times *times)
{
	histogram_free(&times->histogram);
}

static void free_table(struct table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free_times(table_row(table, i));
	table_free(table);
}

static void free_store(struct summary_store *store)
{
	if (!store)
		return;
	for (uint32_t i = 0; i < store->functions.count; i++)
		free_times(&((struct summary_function *)table_row(&store->functions, i))->times);
	for (uint32_t i = 0; i < store->libraries.count; i++)
		free_times(&((struct summary_library *)table_row(&store->libraries, i))->times);
	for (size_t i = 0; i < store->nrows; i++)
		free_times(&store->rows[i].times);
	free_times(&store->unknown);
	free(store->rows);
	table_free(&store->functions);
	table_free(&store->libraries);
	free_table(&store->pairs);
	free_table(&store->callers);
	free_table(&store->kernels);
	table_free(&store->errors);
	table_free(&store->texts);
	free(store);
}

void summary_free(struct summary *summary)
{
	for (size_t i = 0; i < summary->nfunctions; i++)
		free_times(&summary->functions[i].times);
	for (size_t i = 0; i < summary->nlibraries; i++)
		free_times(&summary->libraries[i].times);
	for (size_t i = 0; i < summary->ncallers; i++)
		free_times(&summary->callers[i].times);
	for (size_t i = 0; i < summary->nkernels; i++)
		free_times(&summary->kernels[i].times);
	for (size_t i = 0; i < summary->nthreads; i++)
		free((void *)(uintptr_t)summary->threads[i].functions);
	for (size_t i = 0; summary->processes && i < summary->nprocesses; i++) {
		free((void *)(uintptr_t)summary->processes[i].functions);
		free(summary->processes[i].memory.points);
	}
	free(summary->functions);
	free(summary->libraries);
	free(summary->callers);
	free(summary->kernels);
	free(summary->errors);
	free(summary->processes);
	free(summary->threads);
	free(summary->ranks);
	free(summary->open);
	free_store(summary->store);
}
