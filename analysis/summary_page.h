/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of a summary have in common. */
#ifndef ANALYSIS_SUMMARY_PAGE_H
#define ANALYSIS_SUMMARY_PAGE_H

#include "analysis/summary_print.h"

struct page {
	const struct summary *summary;
	const struct summary_print *print;
	struct out *out;
};

/* "3 calls" */
void page_plural(const struct page *page, uint64_t count, const char *thing, const char *plural);

/* The heading of a table. */
void page_heading(const struct page *page, const char *text);

/* A number at the right of width columns, with one space before it. */
void page_number(const struct page *page, struct out_number number, size_t width);

/* The same of errors, which stand out if there are any. */
void page_errors(const struct page *page, uint64_t count, size_t width);

/* What every table begins with: the share, the time, the calls. */
void page_lead(const struct page *page, uint64_t total_ns, uint64_t calls);

/* The text in what is left of the line behind so many columns, which ends. */
void page_name(const struct page *page, const char *text, size_t before);

/* How many of count rows are printed. */
size_t page_rows(const struct page *page, size_t count);

/* "and 12 more functions", if there are more than page_rows says. */
void page_more(const struct page *page, size_t count, const char *thing, const char *plural);

/* The last component of a path. */
const char *page_component(const char *path);

/* A process: "python3.12 (pid 4711, rank 3)". */
void page_process(const struct page *page, uint32_t process);

/* One of eight heights. */
void page_block(const struct page *page, unsigned int height);

/* What is missing from the files, and the calls that had not ended. */
void notes_text(const struct page *page);

void copies_text(const struct page *page);
void waits_text(const struct page *page);
void memory_text(const struct page *page);
void bars_text(const struct page *page);

#endif
