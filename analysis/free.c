/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a summary. */
#include <stdlib.h>

#include "analysis/gather.h"

static void free_times(struct row_times *times)
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
	table_free(&store->lines);
	free_table(&store->kernels);
	free_table(&store->ranges);
	table_free(&store->errors);
	table_free(&store->inside);
	table_free(&store->builds);
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
	for (size_t i = 0; i < summary->nranges; i++)
		free_times(&summary->ranges[i].times);
	for (size_t i = 0; i < summary->nthreads; i++)
		free((void *)(uintptr_t)summary->threads[i].functions);
	for (size_t i = 0; summary->processes && i < summary->nprocesses; i++) {
		free((void *)(uintptr_t)summary->processes[i].functions);
		free(summary->processes[i].memory.points);
	}
	free(summary->functions);
	free(summary->libraries);
	free(summary->callers);
	free(summary->builds);
	free(summary->kernels);
	free(summary->ranges);
	free((void *)summary->waits);
	free(summary->inside);
	arena_free(&summary->memory);
	free(summary->processes);
	free(summary->threads);
	free(summary->ranks);
	free(summary->open);
	free_store(summary->store);
}
