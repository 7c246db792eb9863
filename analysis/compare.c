/* SPDX-License-Identifier: Apache-2.0 */
/* Two summaries, name by name. */
#include "analysis/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENOUGH = 20,	/* calls on both sides, for times to be compared */
	ERRORS = 4	/* standard errors between two averages that differ */
};

static const double median_apart = 1.25;	/* two buckets of the histogram */
static const double average_apart = 1.1;

static const struct row_times none;

static double ratio(uint64_t a, uint64_t b)
{
	return a && b ? (double)b / (double)a : 1;
}

static bool apart(double ratio, double limit)
{
	return ratio > limit || ratio < 1 / limit;
}

/* More than what repeating the same would show. */
static bool times_differ(const struct row_times *a, const struct row_times *b)
{
	double x = (double)a->stddev, y = (double)b->stddev;
	double error = sqrt(x * x / (double)a->calls + y * y / (double)b->calls);

	if (apart(ratio(a->p50, b->p50), median_apart))
		return true;
	return apart(ratio(a->avg, b->avg), average_apart) &&
	       fabs((double)a->avg - (double)b->avg) > ERRORS * error;
}

static void judge(struct compare_row *row)
{
	const struct row_times *a = row->a, *b = row->b;

	row->timed = a->calls >= ENOUGH && b->calls >= ENOUGH;
	if (!a->calls)
		row->change = COMPARE_NEW;
	else if (!b->calls)
		row->change = COMPARE_GONE;
	else if (a->calls != b->calls || a->errors != b->errors || a->not_ready != b->not_ready ||
		 (row->timed && times_differ(a, b)))
		row->change = COMPARE_CHANGED;
	else
		row->change = COMPARE_SAME;
}

static uint64_t weight(const struct compare_row *row)
{
	uint64_t a = row->a->total, b = row->b->total;

	return a > b ? a - b : b - a;
}

static int by_weight(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	if (!x->change != !y->change)
		return x->change ? -1 : 1;
	if (weight(x) != weight(y))
		return weight(x) > weight(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct compare_row *)a)->name, ((const struct compare_row *)b)->name);
}

/* Rows of one side each, those of the same name next to each other, become one of both. */
static void join(struct compare_rows *rows)
{
	size_t kept = 0;

	if (rows->count > 1)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), by_name);
	for (size_t i = 0; i < rows->count; i++) {
		struct compare_row *row = &rows->rows[i];

		if (kept && !by_name(&rows->rows[kept - 1], row)) {
			struct compare_row *other = &rows->rows[kept - 1];

			other->a = other->a->calls ? other->a : row->a;
			other->b = other->b->calls ? other->b : row->b;
		} else {
			rows->rows[kept++] = *row;
		}
	}
	rows->count = kept;
	for (size_t i = 0; i < kept; i++) {
		judge(&rows->rows[i]);
		rows->changed += rows->rows[i].change != COMPARE_SAME;
	}
	if (kept > 1)
		qsort(rows->rows, kept, sizeof(*rows->rows), by_weight);
}

static int begin(struct compare_rows *rows, size_t count)
{
	*rows = (struct compare_rows){ .rows = calloc(count + 1, sizeof(*rows->rows)) };
	return rows->rows ? 0 : -ENOMEM;
}

static void add(struct compare_rows *rows, const char *name, const struct row_times *a,
		const struct row_times *b)
{
	if (a->calls || b->calls)
		rows->rows[rows->count++] = (struct compare_row){ .name = name, .a = a, .b = b };
}

int compare_functions(struct compare_rows *rows, const struct summary *a, const struct summary *b)
{
	if (begin(rows, a->nfunctions + b->nfunctions))
		return -ENOMEM;
	for (size_t i = 0; i < a->nfunctions; i++)
		add(rows, a->functions[i].name, &a->functions[i].times, &none);
	for (size_t i = 0; i < b->nfunctions; i++)
		add(rows, b->functions[i].name, &none, &b->functions[i].times);
	join(rows);
	return 0;
}

static const char *kernel_name(const struct summary_kernel *kernel)
{
	return kernel->name ? kernel->name : "(unknown)";
}

int compare_kernels(struct compare_rows *rows, const struct summary *a, const struct summary *b)
{
	if (begin(rows, a->nkernels + b->nkernels))
		return -ENOMEM;
	for (size_t i = 0; i < a->nkernels; i++)
		add(rows, kernel_name(&a->kernels[i]), &a->kernels[i].times, &none);
	for (size_t i = 0; i < b->nkernels; i++)
		add(rows, kernel_name(&b->kernels[i]), &none, &b->kernels[i].times);
	join(rows);
	return 0;
}

void compare_free(struct compare_rows *rows)
{
	free(rows->rows);
}
