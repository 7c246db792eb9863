/* SPDX-License-Identifier: Apache-2.0 */
/* Two summaries, name by name. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/summary.h"

enum compare_change {
	COMPARE_SAME,
	COMPARE_CHANGED,
	COMPARE_NEW,	/* not in a */
	COMPARE_GONE	/* not in b */
};

struct compare_row {
	const char *name;
	const struct row_times *a, *b;	/* no calls where there were none */
	enum compare_change change;
	bool timed;	/* there are enough calls for a ratio of medians */
};

struct compare_rows {
	struct compare_row *rows;	/* what changed first, and of that what most time depends on */
	size_t count, changed;
};

/* Functions, or kernels, of both. 0 or -ENOMEM; compare_free in both cases. */
int compare_functions(struct compare_rows *rows, const struct summary *a, const struct summary *b);
int compare_kernels(struct compare_rows *rows, const struct summary *a, const struct summary *b);

void compare_free(struct compare_rows *rows);

#endif
