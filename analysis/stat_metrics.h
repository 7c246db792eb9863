/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as one text of metrics, for Prometheus and what reads its formats. */
#ifndef ANALYSIS_STAT_METRICS_H
#define ANALYSIS_STAT_METRICS_H

#include "analysis/stat_report.h"

enum metrics_format {
	METRICS_PROMETHEUS,	/* text format 0.0.4, the only one node_exporter reads whole */
	METRICS_OPENMETRICS	/* 1.0 */
};

enum { METRICS_FAMILIES = 13 };

/* All zero at first. */
struct metrics {
	struct out families[METRICS_FAMILIES];	/* the samples of each */
	struct metrics_process *processes;
	struct arena memory;
};

/*
 * Adds a report; without libraries, by function alone. 0, -ENOMEM, or -EEXIST:
 * the process has been added already, and a series may be there only once.
 */
int metrics_add(struct metrics *metrics, const struct report *report, int libraries);

/* Writes all that was added. */
void metrics_text(const struct metrics *metrics, enum metrics_format format, struct out *out);

void metrics_free(struct metrics *metrics);

/* Writes NAME="VALUE" of a sample, behind a { or a comma. */
void metrics_label(struct out *out, const char *before, const char *name, const char *value);

#endif
