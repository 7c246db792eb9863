/* SPDX-License-Identifier: Apache-2.0 */
/* What is different in one of two summaries, for people and for programs. */
#include <stdio.h>
#include <string.h>

#include "analysis/compare.h"
#include "analysis/summary_page.h"
#include "util/writer.h"

enum { NAME_COLUMN = 88 };

static const char *const changes[] = {
	[COMPARE_SAME] = "same",
	[COMPARE_CHANGED] = "changed",
	[COMPARE_NEW] = "new",
	[COMPARE_GONE] = "gone"
};

/* b / a, "1.25x"; "-" where there is none. */
static struct out_number ratio(uint64_t a, uint64_t b, bool known)
{
	struct out_number number = { "-" };

	if (known && a)
		snprintf(number.text, sizeof(number.text), (double)b / (double)a < 100 ? "%.2fx" :
			 "%.0fx", (double)b / (double)a);
	return number;
}

/* "+3", "-3", "=" */
static struct out_number difference(uint64_t a, uint64_t b)
{
	struct out_number number = { "=" }, digits = out_count(a > b ? a - b : b - a);

	if (a != b) {
		number.text[0] = a > b ? '-' : '+';
		memcpy(number.text + 1, digits.text, sizeof(number.text) - 1);
	}
	return number;
}

static struct out_number time_of(const struct row_times *times, uint64_t ns, int digits)
{
	struct out_number none = { "-" };

	return times->calls ? out_time(ns, digits) : none;
}

static void row(const struct page *page, const struct compare_row *row)
{
	const struct row_times *a = row->a, *b = row->b;
	bool both = row->change < COMPARE_NEW;

	page_number(page, time_of(a, a->total, 5), 8);
	page_number(page, time_of(b, b->total, 5), 8);
	page_number(page, ratio(a->total, b->total, both), 6);
	page_number(page, out_count(a->calls), 9);
	page_number(page, difference(a->calls, b->calls), 9);
	page_number(page, difference(a->errors, b->errors), 6);
	page_number(page, time_of(a, a->p50, 3), 6);
	page_number(page, time_of(b, b->p50, 3), 6);
	page_number(page, ratio(a->p50, b->p50, row->timed), 6);
	out_spaces(page->out, 2);
	out_left(page->out, changes[row->change], 9);
	page_name(page, row->name, NAME_COLUMN);
}

static void table(const struct page *page, const struct compare_rows *rows, const char *heading,
		  const char *thing)
{
	if (rows->changed)
		page_heading(page, heading);
	else
		out_text(page->out, "\n");
	PAGE_EACH(page, i, rows->changed, thing)
		row(page, &rows->rows[i]);
	if (rows->count > rows->changed) {
		page_plural(page, rows->count - rows->changed, thing);
		out_text(page->out, " without a change\n");
	}
}

/* Those of all processes added up. */
static uint64_t peak_of(const struct summary *summary, bool *known)
{
	uint64_t peak = 0;

	for (size_t i = 0; i < summary->nprocesses; i++) {
		peak += summary->processes[i].memory.device.peak;
		*known |= summary->processes[i].memory.known;
	}
	return peak;
}

static void side(const struct page *page, const char *name, const struct summary *summary)
{
	bool known = false;
	uint64_t peak = peak_of(summary, &known);

	out_text(page->out, name);
	page_plural(page, summary->nprocesses - summary->faults, "process");
	out_text(page->out, ", ");
	page_plural(page, summary->counts.calls, "call");
	out_text(page->out, ", ");
	page_plural(page, summary->counts.errors, "error");
	out_text(page->out, ", ");
	out_text(page->out, out_time(summary->counts.total, 5).text);
	out_text(page->out, " in the driver");
	if (known) {
		out_text(page->out, ", at most ");
		out_text(page->out, summary_size(peak).text);
		out_text(page->out, " of device memory");
	}
	out_text(page->out, "\n");
}

int summary_diff_text(const struct summary *a, const struct summary *b,
		      const struct summary_print *print, struct out *out)
{
	const struct page page = page_of(b, print, out);
	struct compare_rows functions, kernels = { .rows = NULL };
	int error = compare_functions(&functions, a, b) ?: compare_kernels(&kernels, a, b);

	if (!error) {
		side(&page, "cuaudit: A: ", a);
		side(&page, "         B: ", b);
		table(&page, &functions, " Total A  Total B  Ratio   Calls A     Calls Errors"
		      "  p50 A  p50 B  Ratio  Change   Name", "function");
	}
	if (!error && kernels.count)
		table(&page, &kernels, " Total A  Total B  Ratio  Launches  Launches Errors"
		      "  p50 A  p50 B  Ratio  Change   Kernel (host time)", "kernel");
	compare_free(&functions);
	compare_free(&kernels);
	return error;
}

static void json_side(struct writer *json, const char *name, const struct summary *summary)
{
	bool known = false;
	uint64_t peak = peak_of(summary, &known);

	writer_begin(json, name, '{');
	writer_number(json, "processes", summary->nprocesses - summary->faults);
	row_json(json, row_counts_columns, &summary->counts, true);
	writer_known(json, "peak_bytes", peak, known);
	writer_end(json, '}');
}

static void json_times(struct writer *json, const char *name, const struct row_times *times)
{
	static const uint8_t columns[] = {
		ROW_CALLS, ROW_ERRORS, ROW_NOT_READY, ROW_TOTAL, ROW_AVG, ROW_P50, ROW_P99, ROW_MAX,
		ROW_END
	};

	writer_begin(json, name, '{');
	row_json(json, columns, times, true);
	writer_end(json, '}');
}

static void json_ratio(struct writer *json, const char *name, uint64_t a, uint64_t b, bool known)
{
	char text[32] = "null";

	if (known && a)
		snprintf(text, sizeof(text), "%.4g", (double)b / (double)a);
	writer_raw(json, name, text, strlen(text));
}

static void json_rows(struct writer *json, const char *name, const struct compare_rows *rows,
		      size_t top)
{
	WRITER_OBJECTS(json, name, i, top && top < rows->count ? top : rows->count) {
		const struct compare_row *row = &rows->rows[i];

		writer_text(json, "name", row->name);
		writer_text(json, "change", changes[row->change]);
		json_ratio(json, "total_ratio", row->a->total, row->b->total,
			   row->change < COMPARE_NEW);
		json_ratio(json, "p50_ratio", row->a->p50, row->b->p50, row->timed);
		json_times(json, "a", row->a);
		json_times(json, "b", row->b);
	}
}

int summary_diff_json(const struct summary *a, const struct summary *b,
		      const struct summary_print *print, struct out *out)
{
	struct writer json = { .out = out };
	struct compare_rows functions, kernels = { .rows = NULL };
	int error = compare_functions(&functions, a, b) ?: compare_kernels(&kernels, a, b);

	if (!error) {
		writer_begin(&json, NULL, '{');
		writer_number(&json, "version", 1);
		writer_text(&json, "kind", "diff");
		json_side(&json, "a", a);
		json_side(&json, "b", b);
		json_rows(&json, "functions", &functions, print->top);
		json_rows(&json, "kernels", &kernels, print->top);
		writer_end(&json, '}');
		out_text(out, "\n");
	}
	compare_free(&functions);
	compare_free(&kernels);
	return error;
}
