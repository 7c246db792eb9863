/* SPDX-License-Identifier: Apache-2.0 */
/* What was copied, and who waited, as tables for people. */
#include <stdio.h>

#include "analysis/summary_page.h"

enum { WAITS_COLUMN = 36 };	/* where names begin */

/* A byte a nanosecond is a gigabyte a second. */
static struct out_number rate(const struct summary_copies *copies)
{
	struct out_number text;

	if (copies->sized_ns)
		snprintf(text.text, sizeof(text.text), "%.2f",
			 (double)copies->bytes / (double)copies->sized_ns);
	else
		snprintf(text.text, sizeof(text.text), "-");
	return text;
}

static void row(const struct page *page, const struct summary_copies *copies, const char *label,
		bool waited)
{
	page_row(page, page_lead, &copies->counts);
	out_right(page->out, summary_size(copies->bytes).text, 10);
	page_number(page, out_count(copies->unsized), 8);
	out_right(page->out, waited ? rate(copies).text : "-", 10);
	out_text(page->out, "  ");
	out_text(page->out, label);
	out_text(page->out, waited ? ", waited for\n" : ", not waited for\n");
}

void copies_text(const struct page *page)
{
	const struct summary *summary = page->summary;

	if (!summary->ncopies) {
		out_text(page->out, "\nCopies: none\n");
		return;
	}
	page_columns(page, page_lead, "Calls", "      Bytes Unsized GB/s(host)  Copies (host time)");
	for (int i = 0; i < COPY_DIRECTIONS; i++)
		for (int waited = 1; waited >= 0; waited--)
			if (summary->copies[i][waited].counts.calls)
				row(page, &summary->copies[i][waited], copy_labels[i], waited);
}

void waits_text(const struct page *page)
{
	static const uint8_t columns[] = { ROW_TOTAL, ROW_CALLS, ROW_AVG, ROW_MAX, ROW_END };
	const struct summary *summary = page->summary;

	if (!summary->nwaits) {
		out_text(page->out, "\nWaits: none\n");
		return;
	}
	page_columns(page, columns, "Calls", "  Waits, by library");
	PAGE_EACH(page, i, summary->nwaits, "wait") {
		const struct summary_pair *pair = summary->waits[i];

		page_row(page, columns, &pair->times);
		out_spaces(page->out, 2);
		out_fit(page->out, summary->functions[pair->function].name, 40);
		out_text(page->out, ", ");
		page_name(page, page_component(summary->libraries[pair->library].path),
			  WAITS_COLUMN + 42);
	}
}
