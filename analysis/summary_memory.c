/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over time, for people. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/summary_page.h"
#include "util/sort.h"

enum { SPARKS = 48 };	/* columns of a series, at most */

/* Behind so many columns. Steps of the series that share a column show the largest. */
static void series(const struct page *page, const struct summary_memory *memory, size_t before)
{
	size_t left = page->columns > before ? page->columns - before : 0;
	size_t columns = memory->npoints < SPARKS ? memory->npoints : SPARKS;

	columns = columns < left ? columns : left;

	for (size_t i = 0; i < columns; i++) {
		size_t at = i * memory->npoints / columns, end = (i + 1) * memory->npoints / columns;
		uint64_t most = 0;

		for (; at < end; at++)
			most = memory->points[at] > most ? memory->points[at] : most;
		if (most)
			page_block(page, (unsigned int)((double)most * 7 /
							(double)memory->device.peak + 0.5));
		else
			out_text(page->out, " ");
	}
}

static void bytes(const struct page *page, const struct summary_bytes *bytes)
{
	out_right(page->out, summary_size(bytes->peak).text, 8);
	out_right(page->out, summary_size(bytes->held).text, 8);
	out_right(page->out, summary_size(bytes->allocated).text, 9);
	page_number(page, out_count(bytes->allocations), 8);
	page_number(page, out_count(bytes->frees), 8);
	out_spaces(page->out, 2);
}

/* Whether they say more than their sum. */
static bool several(const struct summary_memory *memory)
{
	int count = 0;

	for (int i = 0; i < SUMMARY_KINDS; i++)
		if (i != SUMMARY_DEVICE)
			count += memory->kinds[i].allocations != 0;
	return count || memory->device.unsized;
}

static void kinds(const struct page *page, const struct summary_memory *memory)
{
	if (!several(memory))
		return;
	for (int i = 0; i < SUMMARY_KINDS; i++) {
		if (!memory->kinds[i].allocations)
			continue;
		bytes(page, &memory->kinds[i]);
		out_spaces(page->out, 2);
		out_text(page->out, summary_memory_kinds[i]);
		if (memory->kinds[i].unsized) {
			out_text(page->out, ", ");
			out_u64(page->out, memory->kinds[i].unsized);
			out_text(page->out, " of unknown size");
		}
		out_text(page->out, "\n");
	}
}

static void process(const struct page *page, uint32_t number)
{
	const struct summary_process *row = &page->summary->processes[number];
	size_t begin = page->out->used;

	bytes(page, &row->memory.device);
	page_process(page, number);
	out_text(page->out, "  ");
	series(page, &row->memory, page->out->used - begin);
	out_text(page->out, "\n");
	kinds(page, &row->memory);
}

/* The most memory first. */
static int compare(const void *a, const void *b, void *data)
{
	const struct summary_process *processes = data;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = processes[i].memory.device.peak, y = processes[j].memory.device.peak;

	return ORDER(y, x) ?: ORDER(i, j);
}

/* Those whose memory is known; NULL when memory is out. */
static uint32_t *known(const struct summary *summary, size_t *count)
{
	uint32_t *order = calloc(summary->nprocesses + 1, sizeof(*order));

	*count = 0;
	for (uint32_t i = 0; order && i < summary->nprocesses; i++)
		if (summary->processes[i].memory.known)
			order[(*count)++] = i;
	if (*count > 1)
		qsort_r(order, *count, sizeof(*order), compare, summary->processes);
	return order;
}

static const char *why_not(const struct summary *summary)
{
	if (summary->chosen)
		return "calls that are left out may allocate or free it";
	for (size_t i = 0; i < summary->nprocesses; i++)
		if (summary->processes[i].arguments)
			return "no calls that take memory were recorded";
	return "arguments were not recorded";
}

void memory_text(const struct page *page)
{
	size_t count, partial = 0;
	uint32_t *order = known(page->summary, &count);

	if (!order) {
		page->out->error = -ENOMEM;
		return;
	}
	if (!count) {
		out_text(page->out, "\nMemory: not known; ");
		out_text(page->out, why_not(page->summary));
		out_text(page->out, "\n");
		free(order);
		return;
	}
	page_heading(page, "    Peak   At end Allocated   Allocs    Frees  Device memory, over time");
	PAGE_EACH(page, i, count, "process") {
		process(page, order[i]);
		partial += page->summary->processes[order[i]].partial;
	}
	if (partial) {
		out_text(page->out, "  partial       ");
		if (count > 1) {
			page_plural(page, partial, "process");
			out_text(page->out, ": ");
		}
		out_text(page->out, "calls were not recorded, which may have allocated or freed memory\n");
	}
	free(order);
}
