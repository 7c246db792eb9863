/* SPDX-License-Identifier: Apache-2.0 */
/* The row of all tables, of saved statistics and of traces: calls added up, and its columns. */
#ifndef ANALYSIS_ROW_H
#define ANALYSIS_ROW_H

#include <stdbool.h>

#include "analysis/histogram.h"
#include "util/writer.h"

struct row_counts {
	uint64_t calls;
	uint64_t errors;	/* results other than CUDA_SUCCESS */
	uint64_t not_ready;	/* CUDA_ERROR_NOT_READY from a query; no error */
	uint64_t total;		/* ns; in a tally, ticks of its trace */
};

/* It begins as row_counts does, so that columns are of both. */
struct row_times {
	uint64_t calls, errors, not_ready, total;
	uint64_t min, max;
	uint64_t avg, p50, p90, p99, stddev;
	/* What they are worked out from; of traces only. */
	unsigned __int128 squares;	/* summed */
	struct histogram histogram;	/* of ns */
};

enum { ROW_BUSIEST = 5 };	/* functions shown of a library or a thread */

enum row_column {
	ROW_END,	/* of a list of columns */
	ROW_CALLS,
	ROW_ERRORS,
	ROW_NOT_READY,
	ROW_TOTAL,
	ROW_MIN,
	ROW_P50,
	ROW_P90,
	ROW_P99,
	ROW_MAX,
	ROW_AVG,
	ROW_STDDEV,
	ROW_COLUMNS
};

extern const struct row_column_text {
	const char *key;	/* in JSON */
	const char *title;	/* for people */
	const char *kind;	/* as the page's script knows it */
	uint8_t width;		/* of its figure, for people; a space comes before it */
	uint16_t at;		/* in the rows */
} row_columns[ROW_COLUMNS];

/* Lists of columns. */
extern const uint8_t row_counts_columns[], row_times_columns[];

static inline uint64_t row_figure(const void *row, enum row_column column)
{
	return *(const uint64_t *)((const char *)row + row_columns[column].at);
}

/* The most time first, then the most calls; rows are of either kind. */
int row_compare(const void *a, const void *b);

/* Adds the counts of a row; both are of either kind. */
void row_add(void *to, const void *from);

/* A member for each column of a list; those that take a clock are null if nothing was timed. */
void row_json(struct writer *json, const uint8_t *columns, const void *row, bool timed);

#endif
