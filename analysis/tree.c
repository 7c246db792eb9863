/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime by library, with the driver calls inside, as a tree. */
#include "analysis/summary_page.h"

enum { STEP = 2 };	/* columns, for each level */

static void name(const struct page *page, const void *row, const char *text, size_t level)
{
	page_row(page, page_lead, row);
	out_spaces(page->out, STEP + level * STEP);
	page_name(page, text, PAGE_LEAD + level * STEP);
}

static void inner_calls(const struct page *page, const struct summary_pair *outer)
{
	const struct summary *summary = page->summary;
	size_t first = 0, count = 0;

	while (first < summary->ninside && summary->inside[first].outer != outer)
		first++;
	while (first + count < summary->ninside && summary->inside[first + count].outer == outer)
		count++;
	PAGE_EACH(page, i, count, "function") {
		const struct summary_inside *inside = &summary->inside[first + i];

		name(page, &inside->counts, summary->functions[inside->function].name, 2);
	}
}

static void tree_of(const struct page *page, const struct summary_library *library)
{
	const struct summary *summary = page->summary;
	struct row_counts counts = { .calls = 0 };

	for (size_t i = 0; i < library->npairs; i++)
		if (summary->functions[library->pairs[i].function].runtime)
			row_add(&counts, &library->pairs[i].times);
	if (!counts.calls)
		return;
	name(page, &counts, library->path, 0);
	for (size_t i = 0; i < library->npairs; i++) {
		const struct summary_pair *pair = &library->pairs[i];

		if (!summary->functions[pair->function].runtime)
			continue;
		name(page, &pair->times, summary->functions[pair->function].name, 1);
		inner_calls(page, pair);
	}
}

void tree_text(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary_has_runtime(summary)) {
		out_text(page->out, "\nTree: no call of the runtime was recorded\n");
		return;
	}
	page_columns(page, page_lead, "Calls", "  Library, its calls of the runtime, driver calls inside");
	for (size_t i = 0; i < summary->nlibraries; i++)
		tree_of(page, &summary->libraries[i]);
}
