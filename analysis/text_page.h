/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people: what those of saved statistics and of traces have in common. */
#ifndef ANALYSIS_TEXT_PAGE_H
#define ANALYSIS_TEXT_PAGE_H

#include "analysis/row.h"

struct selector;
struct summary;

struct page {
	struct out *out;
	const struct row_counts *whole;	/* what shares are of */
	bool timed;			/* else calls are all that is known */
	size_t columns;			/* of a line */
	size_t top;			/* rows of a table; 0: all */
	bool colour;
	bool blocks;			/* the terminal shows block elements of Unicode */
	/* Of traces: */
	const struct summary *summary;
	const struct selector *bars;	/* NULL, or functions whose histograms are printed */
};

enum { PAGE_LEAD = 28 };	/* columns before the name in tables without further figures */

/* Total and calls, which every table begins with; the same and errors; all of traces. */
extern const uint8_t page_lead[], page_counts[], page_times[];

/* "3 calls", "1 process": the thing in the singular. */
void page_plural(const struct page *page, uint64_t count, const char *thing);

/* The heading of a table, or of a histogram. */
void page_heading(const struct page *page, const char *text);

/* The same: the share, columns, calls called as calls says, and what is behind them. */
void page_columns(const struct page *page, const uint8_t *columns, const char *calls,
		  const char *behind);

/* The beginning of a row: its share and its columns. */
void page_row(const struct page *page, const uint8_t *columns, const void *row);

/* A number at the right of width columns, with one space before it. */
void page_number(const struct page *page, struct out_number number, size_t width);

/* The text in what is left of the line behind so many columns, which ends. */
void page_name(const struct page *page, const char *text, size_t before);

/* A function of a library or a thread, below the line of that. */
void page_share(const struct page *page, const void *row, const char *name);

/* "and 2 more functions" below those, of count in all. */
void page_rest(const struct page *page, size_t count);

/* A thread's row up to its name, and that of all threads without one. */
void page_thread(const struct page *page, const void *row, int32_t tid, const char *name);
void page_others(const struct page *page, const void *row, uint64_t count);

/* For each i of those of count rows that are printed; then "and 12 functions more". */
#define PAGE_EACH(page, i, count, thing) \
	for (size_t i = 0; i < page_rows(page, count) || page_more(page, count, thing); i++)

size_t page_rows(const struct page *page, size_t count);
bool page_more(const struct page *page, size_t count, const char *thing);	/* false */

/* The last component of a path. */
const char *page_component(const char *path);

#endif
