/* SPDX-License-Identifier: Apache-2.0 */
/* The row of all tables, of saved statistics and of traces: calls added up, and its columns. */
#include "analysis/row.h"

#include <stddef.h>

#include "util/sort.h"

#define COLUMN(field, width, title, kind) \
	{ #field, title, kind, width, offsetof(struct row_times, field) }

const struct row_column_text row_columns[ROW_COLUMNS] = {
	[ROW_CALLS] = COLUMN(calls, 9, "Calls", "count"),
	[ROW_ERRORS] = COLUMN(errors, 6, "Errors", "errors"),
	[ROW_NOT_READY] = COLUMN(not_ready, 8, "NotReady", "count"),
	[ROW_TOTAL] = COLUMN(total_ns, 8, "Total", "time"),
	[ROW_MIN] = COLUMN(min_ns, 6, "Min", "time"),
	[ROW_P50] = COLUMN(p50_ns, 6, "p50", "time"),
	[ROW_P90] = COLUMN(p90_ns, 6, "p90", "time"),
	[ROW_P99] = COLUMN(p99_ns, 6, "p99", "time"),
	[ROW_MAX] = COLUMN(max_ns, 6, "Max", "time"),
	[ROW_AVG] = COLUMN(avg_ns, 6, "Avg", "time"),
	[ROW_STDDEV] = COLUMN(stddev_ns, 6, "StdDev", "time")
};

#define ALIKE(field) \
	_Static_assert(offsetof(struct row_times, field) == offsetof(struct row_counts, field), #field)
ALIKE(calls);
ALIKE(errors);
ALIKE(not_ready);
ALIKE(total_ns);

const uint8_t row_counts_columns[] = { ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_END };

const uint8_t row_times_columns[] = {
	ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_MIN, ROW_P50, ROW_P90, ROW_P99, ROW_MAX,
	ROW_AVG, ROW_STDDEV, ROW_END
};

int row_compare(const void *a, const void *b)
{
	const struct row_counts *x = a, *y = b;

	return ORDER(y->total_ns, x->total_ns) ?: ORDER(y->calls, x->calls);
}

void row_add(struct row_counts *to, const void *row)
{
	const struct row_counts *from = row;

	to->calls += from->calls;
	to->errors += from->errors;
	to->not_ready += from->not_ready;
	to->total_ns += from->total_ns;
}

void row_json(struct writer *json, const uint8_t *columns, const void *row, bool timed)
{
	for (; *columns; columns++)
		writer_known(json, row_columns[*columns].key, row_figure(row, *columns),
			     timed || *columns == ROW_CALLS);
}
