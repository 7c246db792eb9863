/* SPDX-License-Identifier: Apache-2.0 */
/* A summary and the timeline of its files as one page for a browser, which needs nothing else. */
#ifndef EXPORT_HTML_PAGE_H
#define EXPORT_HTML_PAGE_H

#include <stddef.h>

#include "analysis/summary.h"

/*
 * Writes the page to fd. The summary was made with PAGE_THREADS, PAGE_POINTS
 * and callers; its files are read once more. 0 or -errno.
 */
int page_write(const struct summary *summary, int fd);

enum {
	PAGE_THREADS = 100000,	/* from which the timeline chooses */
	PAGE_POINTS = 2000,	/* of a process's memory */
	PAGE_ROWS = 2000,	/* of any table */
	PAGE_CURVES = 64	/* processes whose memory is drawn */
};

/* The template, before and after the data; made from html/ when building. */
extern const char page_before[], page_after[];

#endif
