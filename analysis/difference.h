/* SPDX-License-Identifier: Apache-2.0 */
/* What differs of two summaries although a second run of the same program repeats it. */
#ifndef ANALYSIS_DIFFERENCE_H
#define ANALYSIS_DIFFERENCE_H

#include "analysis/stat_report.h"
#include "analysis/summary.h"

struct difference_side {
	const struct summary *summary;
	const struct report *report;	/* saved statistics that the summary is of; NULL: traces */
};

/* Why not all calls of a side are known, as part of a line, or NULL. */
const char *difference_side_fault(const struct difference_side *side);

/* Why two sides are not comparable: nothing would be compared, or they were recorded differently. */
const char *difference_fault(const struct difference_side *a, const struct difference_side *b);

/* What is not compared of sides that are comparable, as part of a line, or NULL. */
const char *difference_gap(const struct difference_side *a, const struct difference_side *b);

/*
 * Counts what differs: processes, errors, calls, launches, bytes copied and routes, never times.
 * Writes the first ones as one line of text. -ENOMEM where out has no memory, too.
 */
int64_t difference_find(const struct difference_side *a, const struct difference_side *b,
			struct out *out);

#endif
