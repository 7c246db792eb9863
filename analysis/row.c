/* SPDX-License-Identifier: Apache-2.0 */
/* The row of all tables, of saved statistics and of traces: calls added up, and its columns. */
#include "analysis/row.h"

#include <stddef.h>

#include "util/sort.h"

#define COLUMN(key, field, width, title, kind) \
	{ key, title, kind, width, offsetof(struct row_times, field) }

const struct row_column_text row_columns[ROW_COLUMNS] = {
	[ROW_CALLS] = COLUMN("calls", calls, 9, "Calls", "count"),
	[ROW_ERRORS] = COLUMN("errors", errors, 6, "Errors", "errors"),
	[ROW_NOT_READY] = COLUMN("not_ready", not_ready, 8, "NotReady", "count"),
	[ROW_TOTAL] = COLUMN("total_ns", total, 8, "Total", "time"),
	[ROW_MIN] = COLUMN("min_ns", min, 6, "Min", "time"),
	[ROW_P50] = COLUMN("p50_ns", p50, 6, "p50", "time"),
	[ROW_P90] = COLUMN("p90_ns", p90, 6, "p90", "time"),
	[ROW_P99] = COLUMN("p99_ns", p99, 6, "p99", "time"),
	[ROW_MAX] = COLUMN("max_ns", max, 6, "Max", "time"),
	[ROW_AVG] = COLUMN("avg_ns", avg, 6, "Avg", "time"),
	[ROW_STDDEV] = COLUMN("stddev_ns", stddev, 6, "StdDev", "time")
};

#define ALIKE(field) \
	_Static_assert(offsetof(struct row_times, field) == offsetof(struct row_counts, field), #field)
ALIKE(calls);
ALIKE(errors);
ALIKE(not_ready);
ALIKE(total);

const uint8_t row_counts_columns[] = { ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_END };

const uint8_t row_times_columns[] = {
	ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_MIN, ROW_P50, ROW_P90, ROW_P99, ROW_MAX,
	ROW_AVG, ROW_STDDEV, ROW_END
};

int row_compare(const void *a, const void *b)
{
	return ORDER(row_figure(b, ROW_TOTAL), row_figure(a, ROW_TOTAL)) ?:
	       ORDER(row_figure(b, ROW_CALLS), row_figure(a, ROW_CALLS));
}

/* By columns: a structure must not be written to as if it were the other one. */
void row_add(void *to, const void *from)
{
	for (const uint8_t *at = row_counts_columns; *at; at++)
		*(uint64_t *)((char *)to + row_columns[*at].at) += row_figure(from, *at);
}

void row_json(struct writer *json, const uint8_t *columns, const void *row, bool timed)
{
	for (; *columns; columns++)
		writer_known(json, row_columns[*columns].key, row_figure(row, *columns),
			     timed || *columns == ROW_CALLS);
}
