/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a report: the busiest by name, the rest in one line. */
#include "report/threads.h"

#include <errno.h>

#include "report/sort.h"
#include "report/sum.h"

static int by_number(const void *left, const void *right)
{
	const struct report_thread *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int by_total(const void *left, const void *right)
{
	const struct report_thread *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return by_number(a, b);
}

static void merge(struct report_thread *into, const struct report_thread *from)
{
	into->calls += from->calls;
	into->errors += from->errors;
	into->total += from->total;
}

static void row(struct report_thread *thread, const struct cuaudit_stat_thread *record)
{
	thread->name = record->name;
	thread->tid = record->tid;
	thread->number = record->number;
	if (!record->number) {
		thread->calls = record->calls;
		thread->errors = record->errors;
		thread->total = record->total;
	}
}

static void collect(struct report_threads *threads, struct records records)
{
	const struct cuaudit_stat_record *record;
	size_t room = threads->count;

	threads->count = 0;
	while ((record = records_next(&records))) {
		const struct cuaudit_stat_thread *thread = (const void *)record;

		if (record->type != CUAUDIT_STAT_THREAD)
			continue;
		if (!thread->number) {
			row(&threads->others, thread);
			threads->nothers = thread->merged;
		} else if (thread->state && threads->count < room) {
			row(&threads->rows[threads->count++], thread);
		}
	}
}

static struct report_thread *find(const struct report_threads *threads, uint32_t number)
{
	size_t low = 0, high = threads->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (threads->rows[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < threads->count && threads->rows[low].number == number)
		return &threads->rows[low];
	return NULL;
}

static void add_cells(struct report_threads *threads, struct records records)
{
	const struct cuaudit_stat_record *record;

	while ((record = records_next(&records))) {
		const struct cuaudit_stat_cell *cell = (const void *)record;
		struct report_thread *thread;

		if (record->type != CUAUDIT_STAT_CELL || !cell->thread)
			continue;
		thread = find(threads, cell->thread);
		if (!thread)
			continue;
		thread->calls += cell->calls;
		thread->errors += cell->errors;
		thread->total += cell->total;
	}
}

/* Drops the rows beyond limit into the others, and those without a call. */
static void shorten(struct report_threads *threads, size_t limit)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads->count; i++) {
		if (!threads->rows[i].calls)
			continue;
		if (kept < limit) {
			threads->rows[kept++] = threads->rows[i];
			continue;
		}
		merge(&threads->others, &threads->rows[i]);
		threads->nothers++;
	}
	threads->count = kept;
}

int threads_build(struct report_threads *threads, struct memory *memory,
		  struct records records, const struct cuaudit_stat_header *header, size_t limit)
{
	const struct cuaudit_stat_record *record;
	struct records walk = records;

	while ((record = records_next(&walk)))
		threads->count += record->type == CUAUDIT_STAT_THREAD;
	threads->rows = memory_take(memory, threads->count, sizeof(*threads->rows));
	if (!threads->rows)
		return -ENOMEM;
	collect(threads, records);
	sort(threads->rows, threads->count, sizeof(*threads->rows), by_number);
	add_cells(threads, records);
	sort(threads->rows, threads->count, sizeof(*threads->rows), by_total);
	shorten(threads, limit);
	for (size_t i = 0; i < threads->count; i++)
		threads->rows[i].total_ns = sum_ns(header, threads->rows[i].total);
	threads->others.total_ns = sum_ns(header, threads->others.total);
	return 0;
}
