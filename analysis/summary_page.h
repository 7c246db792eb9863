/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of traces alone have in common. */
#ifndef ANALYSIS_SUMMARY_PAGE_H
#define ANALYSIS_SUMMARY_PAGE_H

#include "analysis/summary_print.h"
#include "analysis/text_page.h"

/* Of a summary, as a user wants it. */
struct page page_of(const struct summary *summary, const struct summary_print *print,
		    struct out *out);

/* A process: "python3.12 (pid 4711, rank 3)". */
void page_process(const struct page *page, uint32_t process);

/* One of eight heights. */
void page_block(const struct page *page, unsigned int height);

/* What is missing from the files, and the calls that had not ended. */
void notes_text(const struct page *page);

void copies_text(const struct page *page);
void tree_text(const struct page *page);
void waits_text(const struct page *page);
void memory_text(const struct page *page);
void bars_text(const struct page *page);

#endif
