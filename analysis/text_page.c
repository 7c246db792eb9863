/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people: what those of saved statistics and of traces have in common. */
#include "analysis/text_page.h"

#include <string.h>

enum {
	NAME_MIN = 24,
	HEADING_MAX = 1000
};

const uint8_t page_lead[] = { ROW_TOTAL, ROW_CALLS, ROW_END };
const uint8_t page_counts[] = { ROW_TOTAL, ROW_CALLS, ROW_ERRORS, ROW_END };
const uint8_t page_times[] = {
	ROW_TOTAL, ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_AVG, ROW_MIN, ROW_P50, ROW_P90, ROW_P99,
	ROW_MAX, ROW_STDDEV, ROW_END
};

void page_plural(const struct page *page, uint64_t count, const char *thing)
{
	out_plural(page->out, count, thing);
}

static void heading_begin(const struct page *page)
{
	out_text(page->out, page->colour ? "\n\033[1m" : "\n");
}

static void heading_end(const struct page *page, const char *text)
{
	out_fit(page->out, text, HEADING_MAX);
	out_text(page->out, page->colour ? "\033[0m\n" : "\n");
}

void page_heading(const struct page *page, const char *text)
{
	heading_begin(page);
	heading_end(page, text);
}

static bool is_known(const struct page *page, enum row_column column)
{
	return page->timed || column == ROW_CALLS;
}

void page_columns(const struct page *page, const uint8_t *columns, const char *calls,
		  const char *behind)
{
	heading_begin(page);
	out_text(page->out, page->timed ? "Time(%)" : "Calls(%)");
	for (; *columns; columns++)
		if (is_known(page, *columns))
			out_right(page->out, *columns == ROW_CALLS ? calls : row_columns[*columns].title,
				  row_columns[*columns].width);
	heading_end(page, behind);
}

void page_number(const struct page *page, struct out_number number, size_t width)
{
	out_right(page->out, number.text, width);
}

static void figure(const struct page *page, enum row_column column, uint64_t value)
{
	size_t width = row_columns[column].width;
	bool red = column == ROW_ERRORS && value && page->colour;

	if (red)
		out_text(page->out, "\033[31m");
	if (column == ROW_TOTAL)
		page_number(page, out_time(value, 5), width);
	else if (column > ROW_TOTAL)
		page_number(page, out_time(value, 3), width);
	else
		page_number(page, out_count(value), width);
	if (red)
		out_text(page->out, "\033[0m");
}

void page_row(const struct page *page, const uint8_t *columns, const void *row)
{
	enum row_column of = page->timed ? ROW_TOTAL : ROW_CALLS;

	page_number(page, out_percent(row_figure(row, of), row_figure(page->whole, of)),
		    page->timed ? 6 : 7);
	for (; *columns; columns++)
		if (is_known(page, *columns))
			figure(page, *columns, row_figure(row, *columns));
}

void page_name(const struct page *page, const char *text, size_t before)
{
	size_t columns = page->columns;

	out_fit(page->out, text, columns > before + NAME_MIN ? columns - before : NAME_MIN);
	out_text(page->out, "\n");
}

void page_share(const struct page *page, const void *row, const char *name)
{
	page_row(page, page_lead, row);
	out_spaces(page->out, 4);
	page_name(page, name, PAGE_LEAD + 2);
}

void page_rest(const struct page *page, size_t count)
{
	if (count <= ROW_BUSIEST)
		return;
	out_spaces(page->out, page->timed ? PAGE_LEAD + 2 : 22);
	out_text(page->out, "and ");
	page_plural(page, count - ROW_BUSIEST, "more function");
	out_text(page->out, "\n");
}

void page_thread(const struct page *page, const void *row, int32_t tid, const char *name)
{
	page_row(page, page_counts, row);
	page_number(page, out_count((uint32_t)tid), 8);
	out_spaces(page->out, 2);
	out_fit(page->out, name, 32);
}

void page_others(const struct page *page, const void *row, uint64_t count)
{
	if (!count)
		return;
	page_row(page, page_counts, row);
	out_spaces(page->out, 11);
	out_text(page->out, "(");
	page_plural(page, count, "other thread");
	out_text(page->out, ")\n");
}

size_t page_rows(const struct page *page, size_t count)
{
	return page->top && page->top < count ? page->top : count;
}

bool page_more(const struct page *page, size_t count, const char *thing)
{
	size_t rows = page_rows(page, count);

	if (count == rows)
		return false;
	out_spaces(page->out, PAGE_LEAD);
	out_text(page->out, "and ");
	page_plural(page, count - rows, thing);
	out_text(page->out, " more\n");
	return false;
}

const char *page_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
