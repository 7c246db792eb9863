/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of functions as bars of text. */
#include <string.h>

#include "analysis/summary_page.h"
#include "util/selector.h"

enum {
	ROWS = 28,		/* of a histogram, at most: buckets share a row until they fit */
	BAR_COLUMN = 40		/* where bars begin */
};

/* The buckets that are in use. */
static void range(const struct histogram *histogram, uint32_t *first, uint32_t *end)
{
	*first = *end = 0;
	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
		if (!histogram_count(histogram, i))
			continue;
		if (!*end)
			*first = i;
		*end = i + 1;
	}
}

static uint64_t count_of(const struct histogram *histogram, uint32_t first, uint32_t step)
{
	uint64_t count = 0;

	for (uint32_t i = first; i < first + step; i++)
		count += histogram_count(histogram, i);
	return count;
}

static void bar(const struct page *page, uint64_t count, uint64_t most)
{
	size_t width = page->columns > BAR_COLUMN + 20 ?
		       page->columns - BAR_COLUMN : 20;
	size_t length = (size_t)((double)count * (double)width / (double)most);

	/* What there is is seen. */
	length = length ? length : count > 0;
	if (length)
		out_text(page->out, " ");
	for (size_t i = 0; i < length; i++)
		out_text(page->out, page->blocks ? "\342\226\210" : "#");
	out_text(page->out, "\n");
}

static void histogram(const struct page *page, const struct summary_function *function)
{
	const struct histogram *histogram = &function->times.histogram;
	uint32_t first, end, step = 1;
	uint64_t most = 0;

	range(histogram, &first, &end);
	while ((end - first + step - 1) / step > ROWS)
		step *= 2;
	first -= first % step;
	for (uint32_t i = first; i < end; i += step)
		if (count_of(histogram, i, step) > most)
			most = count_of(histogram, i, step);
	page_heading(page, function->name);
	for (uint32_t i = first; i < end; i += step) {
		uint64_t count = count_of(histogram, i, step);

		page_number(page, out_time(cuaudit_stat_floor(i), 3), 8);
		out_text(page->out, " -");
		page_number(page, out_time(cuaudit_stat_floor(i + step), 3), 6);
		page_number(page, out_count(count), 10);
		page_number(page, out_percent(count, function->times.calls), 5);
		out_text(page->out, "%");
		bar(page, count, most);
	}
}

void bars_text(const struct page *page)
{
	const struct summary *summary = page->summary;
	bool any = false;

	for (size_t i = 0; i < summary->nfunctions; i++) {
		const struct summary_function *function = &summary->functions[i];
		const struct cuaudit_function names = {
			.name = function->name,
			.base = function->base,
			.classes = function->classes,
		};

		if (!function->times.calls || !selector_takes(page->bars, &names))
			continue;
		histogram(page, function);
		any = true;
	}
	if (!any)
		out_text(page->out, "\nNo call of the functions whose histogram was asked for\n");
}
