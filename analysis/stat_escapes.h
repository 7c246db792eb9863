/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a report bound, what escaped them, and of which drivers. */
#ifndef ANALYSIS_STAT_ESCAPES_H
#define ANALYSIS_STAT_ESCAPES_H

#include "analysis/stat_part.h"
#include "analysis/stat_report.h"

/* Adds it up, over all processes. 0 or -ENOMEM. */
int escapes_fill(struct report *report, const struct part *parts, size_t nparts);

#endif
