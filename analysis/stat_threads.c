/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a report: the busiest by name, the rest in one line. */
#include "analysis/stat_threads.h"

#include <errno.h>

#include "analysis/stat_sum.h"
#include "util/sort.h"

static int by_number(const void *left, const void *right)
{
	const struct report_thread *a = left, *b = right;

	return ORDER(a->number, b->number);
}

static int by_total(const void *left, const void *right)
{
	const struct report_thread *a = left, *b = right;

	return row_compare(&a->counts, &b->counts) ?: ORDER(a->process, b->process) ?:
	       by_number(a, b);
}

static void row(struct report_thread *thread, const struct cuaudit_stat_thread *record)
{
	thread->name = record->name;
	thread->tid = record->tid;
	thread->number = record->number;
}

/* The rows of one process, from first on. */
static size_t collect(struct report_threads *threads, struct records records, size_t room,
		      const struct cuaudit_stat_header *header, uint32_t process)
{
	const struct cuaudit_stat_record *record;
	struct report_thread *first = threads->rows + threads->count;
	size_t count = 0;

	while ((record = records_next(&records))) {
		const struct cuaudit_stat_thread *thread = (const void *)record;

		if (record->type != CUAUDIT_STAT_THREAD)
			continue;
		if (!thread->number) {
			threads->others.counts.calls += thread->calls;
			threads->others.counts.errors += thread->errors;
			threads->others.counts.total += sum_ns(header, thread->total);
			threads->nothers += thread->merged;
		} else if (thread->state && count < room) {
			first[count].process = process;
			first[count].pid = header->pid;
			row(&first[count++], thread);
		}
	}
	return count;
}

static struct report_thread *find(struct report_thread *rows, size_t count, uint32_t number)
{
	size_t at = FIRST(count, i, rows[i].number < number);

	return at < count && rows[at].number == number ? &rows[at] : NULL;
}

static void add_cells(struct report_thread *rows, size_t count, struct records records)
{
	const struct cuaudit_stat_record *record;

	while ((record = records_next(&records))) {
		const struct cuaudit_stat_cell *cell = (const void *)record;
		struct report_thread *thread;

		if (record->type != CUAUDIT_STAT_CELL || !cell->thread)
			continue;
		thread = find(rows, count, cell->thread);
		if (!thread)
			continue;
		thread->counts.calls += cell->calls;
		thread->counts.errors += cell->errors;
		thread->total += cell->total;
	}
}

/* Drops the rows beyond limit into the others, and those without a call. */
static void shorten(struct report_threads *threads, size_t limit)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads->count; i++) {
		if (!threads->rows[i].counts.calls)
			continue;
		if (kept < limit) {
			threads->rows[kept++] = threads->rows[i];
			continue;
		}
		row_add(&threads->others.counts, &threads->rows[i].counts);
		threads->nothers++;
	}
	threads->count = kept;
}

size_t threads_count(struct records records)
{
	const struct cuaudit_stat_record *record;
	size_t count = 0;

	while ((record = records_next(&records)))
		count += record->type == CUAUDIT_STAT_THREAD;
	return count;
}

int threads_room(struct report_threads *threads, struct arena *memory, size_t room)
{
	threads->rows = arena_take(memory, room, sizeof(*threads->rows));
	threads->room = room;
	return threads->rows ? 0 : -ENOMEM;
}

void threads_add(struct report_threads *threads, struct records records,
		 const struct cuaudit_stat_header *header, uint32_t process)
{
	struct report_thread *rows = threads->rows + threads->count;
	size_t count = collect(threads, records, threads->room - threads->count, header, process);

	sort(rows, count, sizeof(*rows), by_number);
	add_cells(rows, count, records);
	for (size_t i = 0; i < count; i++)
		rows[i].counts.total = sum_ns(header, rows[i].total);
	threads->count += count;
}

void threads_finish(struct report_threads *threads, size_t limit)
{
	sort(threads->rows, threads->count, sizeof(*threads->rows), by_total);
	shorten(threads, limit);
}
