/* SPDX-License-Identifier: Apache-2.0 */
/* What differs of two summaries although a second run of the same program repeats it. */
#include "analysis/difference.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/escape_kind.h"
#include "print/print.h"
#include "tables/query.h"

enum { SHOWN = 6, NAME = 96 };

/* In the order in which differences are printed. */
enum kind { PROCESSES, ERRORS, OTHER_ERRORS, CALLS, LAUNCHES, BYTES, ROUTES, ESCAPES };

static const char *const kind_texts[] = {
	[PROCESSES] = "processes with calls",
	[ERRORS] = " of ",	/* behind the result */
	[OTHER_ERRORS] = "other errors of ",
	[CALLS] = "calls of ",
	[LAUNCHES] = "launches of ",
	[BYTES] = "bytes copied ",
	[ROUTES] = "functions bound by ",
	[ESCAPES] = "not intercepted, ",
};

struct item {
	enum kind kind;
	int32_t result;
	const char *name;
	uint64_t counts[2];	/* of a and b */
};

struct items {
	struct item *items;
	size_t count;
	int side;		/* the one that is added */
};

static void add(struct items *items, enum kind kind, const char *name, int32_t result, uint64_t count)
{
	struct item *item = &items->items[items->count];

	if (!count)
		return;
	*item = (struct item){ .kind = kind, .result = result, .name = name };
	item->counts[items->side] = count;
	items->count++;
}

static size_t room(const struct difference_side *side)
{
	const struct summary *summary = side->summary;
	size_t errors = side->report ? side->report->errors.count : summary->errors.count;

	return 1 + errors + summary->nfunctions + summary->nkernels + COPY_DIRECTIONS +
	       CUAUDIT_ROUTES + (side->report ? side->report->nescapes : 0);
}

static void add_errors(struct items *items, const struct error_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct error_row *row = &rows->rows[i];

		if (row->others)
			add(items, OTHER_ERRORS, row->function, 0, row->count);
		else if (query_is_error(row->function, row->result))
			add(items, ERRORS, row->function, row->result, row->count);
	}
}

static uint64_t processes(const struct summary *summary)
{
	uint64_t count = 0;

	for (size_t i = 0; i < summary->nprocesses; i++)
		count += summary->processes[i].counts.calls != 0;
	return count;
}

static void add_traced(struct items *items, const struct summary *summary)
{
	for (size_t i = 0; i < summary->nkernels; i++) {
		const char *name = summary->kernels[i].name;

		add(items, LAUNCHES, name ? name : "unknown kernels", 0,
		    summary->kernels[i].times.calls);
	}
	for (int i = 0; i < COPY_DIRECTIONS; i++)
		add(items, BYTES, copy_labels[i], 0,
		    summary->copies[i][0].bytes + summary->copies[i][1].bytes);
}

static void add_summary(struct items *items, const struct summary *summary)
{
	add(items, PROCESSES, "", 0, processes(summary));
	for (size_t i = 0; i < summary->nfunctions; i++) {
		const struct row_times *times = &summary->functions[i].times;

		/* How often a program asks until the GPU is done is a matter of time. */
		add(items, CALLS, summary->functions[i].name, 0, times->calls - times->not_ready);
	}
}

static void add_routes(struct items *items, const struct report *report)
{
	for (int i = 0; report->routes && i < CUAUDIT_ROUTES; i++)
		add(items, ROUTES, report_route_names[i], 0, report->routes->functions[i]);
	for (size_t i = 0; i < report->nescapes; i++) {
		const char *key = escape_key(report->escapes[i].escape->kind);

		add(items, ESCAPES, key ? key : "unknown", 0, report->escapes[i].count);
	}
}

/* What both sides know: saved statistics have no launches and bytes, traces no routes. */
static void add_side(struct items *items, const struct difference_side *side,
		     const struct difference_side *other)
{
	add_summary(items, side->summary);
	if (!side->report && !other->report)
		add_traced(items, side->summary);
	add_errors(items, side->report ? &side->report->errors : &side->summary->errors);
	if (side->report && other->report)
		add_routes(items, side->report);
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->result != y->result)
		return x->result < y->result ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Rows of one side each become one of both. */
static void join(struct items *items)
{
	size_t kept = 0;

	if (items->count > 1)
		qsort(items->items, items->count, sizeof(*items->items), by_name);
	for (size_t i = 0; i < items->count; i++) {
		struct item *item = &items->items[i];

		if (!kept || by_name(&items->items[kept - 1], item)) {
			items->items[kept++] = *item;
			continue;
		}
		items->items[kept - 1].counts[0] += item->counts[0];
		items->items[kept - 1].counts[1] += item->counts[1];
	}
	items->count = kept;
}

static void print_item(const struct item *item, struct out *out)
{
	char result[PRINT_RESULT];

	if (item->kind == ERRORS)
		out_text(out, print_result_text(result, item->name, item->result));
	out_text(out, kind_texts[item->kind]);
	out_fit(out, item->name, NAME);
	out_text(out, ": ");
	out_u64(out, item->counts[0]);
	out_text(out, " in A, ");
	out_u64(out, item->counts[1]);
	out_text(out, " in B");
}

static int64_t print_items(const struct items *items, struct out *out)
{
	int64_t count = 0;

	for (size_t i = 0; i < items->count; i++) {
		const struct item *item = &items->items[i];

		if (item->counts[0] == item->counts[1] || count++ >= SHOWN)
			continue;
		out_text(out, count > 1 ? "; " : "");
		print_item(item, out);
	}
	if (count > SHOWN) {
		out_text(out, "; and ");
		out_u64(out, (uint64_t)count - SHOWN);
		out_text(out, " more");
	}
	return out->error ? -ENOMEM : count;
}

int64_t difference_find(const struct difference_side *a, const struct difference_side *b,
			struct out *out)
{
	struct items items = { .items = calloc(room(a) + room(b), sizeof(*items.items)) };
	int64_t count;

	if (!items.items)
		return -ENOMEM;
	add_side(&items, a, b);
	items.side = 1;
	add_side(&items, b, a);
	join(&items);
	count = print_items(&items, out);
	free(items.items);
	return count;
}

static const char *report_fault(const struct report *report)
{
	for (size_t i = 0; i < report->nprocesses; i++)
		if (report->processes[i].end == REPORT_END_RUNS)
			return "a process has not ended";
	if (report->lost || report->partial)
		return "calls are missing for want of memory or disk";
	if (report->unwound)
		return "calls that were left by longjmp or an exception are missing";
	return report->unhooked ? "calls made while a hook ran are missing" : NULL;
}

const char *difference_side_fault(const struct difference_side *side)
{
	const struct summary *summary = side->summary;

	if (side->report)
		return report_fault(side->report);
	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];

		if (process->ending == TRACE_RUNS)
			return "a process has not ended";
		if (process->losses.calls[CUAUDIT_TRACE_LOST_RING])
			return "a ring whose oldest calls were written over";
	}
	return NULL;
}

/* Which of both a side has: 1, processes without arguments; 2, with them. */
static int arguments(const struct summary *summary)
{
	int found = 0;

	for (size_t i = 0; i < summary->nprocesses; i++)
		if (summary->processes[i].counts.calls)
			found |= summary->processes[i].arguments ? 2 : 1;
	return found;
}

/* Whether results are not known, as of clock=no. */
static bool unjudged(const struct difference_side *side)
{
	return side->report && !side->report->timed;
}

const char *difference_fault(const struct difference_side *a, const struct difference_side *b)
{
	uint64_t calls[] = { a->summary->counts.calls, b->summary->counts.calls };

	if (!calls[0] && !calls[1])
		return "neither has a call, so nothing is compared";
	if (!calls[0] || !calls[1])
		return NULL;
	if (unjudged(a) != unjudged(b))
		return "one has no results, by clock=no; record both alike";
	if (a->report && b->report && !a->report->routes != !b->report->routes)
		return "one has no routes; record both alike";
	if (!a->report && !b->report && arguments(a->summary) != arguments(b->summary))
		return "one was recorded without arguments, so launches and bytes are not comparable; "
		       "record both alike";
	return NULL;
}

const char *difference_gap(const struct difference_side *a, const struct difference_side *b)
{
	if (a->report || b->report || !((arguments(a->summary) | arguments(b->summary)) & 1))
		return NULL;
	return "launches of kernels and bytes copied are not compared where calls were recorded without arguments";
}
