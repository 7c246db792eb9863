/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a report bound, what escaped them, and of which drivers. */
#ifndef REPORT_ESCAPES_H
#define REPORT_ESCAPES_H

#include "report/part.h"
#include "report/report.h"

/* Adds it up, over all processes. 0 or -ENOMEM. */
int escapes_fill(struct report *report, const struct part *parts, size_t nparts);

#endif
