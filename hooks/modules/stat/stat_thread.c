/* SPDX-License-Identifier: Apache-2.0 */
/* The records of threads: live ones, the busiest ended ones, all others in one. */
#include "hooks/modules/stat/stat_thread.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/modules/stat/stat_store.h"
#include "util/io.h"

enum { FREE, LIVE, ENDED };

static uint32_t numbers;
static uint32_t keep;
static struct {
	struct cuaudit_stat_thread *record;
	struct cuaudit_stat_cell *cells;
} kept[STAT_THREADS_MAX];
static uint32_t nkept;
static struct cuaudit_stat_thread *others;
static struct cuaudit_stat_thread *spare;	/* FREE ones, linked by calls */

void stat_thread_setup(uint32_t count)
{
	keep = count < STAT_THREADS_MAX ? count : STAT_THREADS_MAX;
}

static struct cuaudit_stat_thread *take(void)
{
	struct cuaudit_stat_thread *record = stat_store_take(sizeof(*record));

	if (record)
		stat_store_publish(record, CUAUDIT_STAT_THREAD);
	return record;
}

struct cuaudit_stat_thread *stat_thread_begin(void)
{
	struct cuaudit_stat_thread *record = spare;

	/* Taken before it is needed, when there is no way to fail. */
	if (!others)
		others = take();
	if (!others)
		return NULL;
	if (record)
		spare = (struct cuaudit_stat_thread *)(uintptr_t)record->calls;
	else
		record = take();
	if (!record)
		return NULL;
	record->number = ++numbers;
	record->tid = (int32_t)syscall(SYS_gettid);
	prctl(PR_GET_NAME, record->name);
	record->calls = record->errors = record->total = 0;
	record->state = LIVE;
	return record;
}

static void merge(struct cuaudit_stat_thread *record)
{
	others->calls += record->calls;
	others->errors += record->errors;
	others->total += record->total;
	others->merged++;
	record->state = FREE;
	record->calls = (uintptr_t)spare;
	spare = record;
}

static int busier(const struct cuaudit_stat_thread *a, const struct cuaudit_stat_thread *b)
{
	return a->total != b->total ? a->total > b->total : a->calls > b->calls;
}

struct cuaudit_stat_cell *stat_thread_end(struct cuaudit_stat_thread *record,
					  struct cuaudit_stat_cell *cells, uint64_t calls,
					  uint64_t errors, uint64_t total)
{
	uint32_t least = 0;

	prctl(PR_GET_NAME, record->name);
	record->calls = calls;
	record->errors = errors;
	record->total = total;
	record->state = ENDED;
	if (nkept < keep) {
		kept[nkept].record = record;
		kept[nkept++].cells = cells;
		return NULL;
	}
	for (uint32_t i = 1; i < nkept; i++)
		if (busier(kept[least].record, kept[i].record))
			least = i;
	if (nkept && busier(record, kept[least].record)) {
		struct cuaudit_stat_thread *quieter = kept[least].record;
		struct cuaudit_stat_cell *its_cells = kept[least].cells;

		kept[least].record = record;
		kept[least].cells = cells;
		record = quieter;
		cells = its_cells;
	}
	merge(record);
	return cells;
}

static void read_name(struct cuaudit_stat_thread *record)
{
	char path[64], name[sizeof(record->name)];
	long length;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)record->tid);
	length = io_read_file(path, name, sizeof(name), IO_NOW);
	if (length <= 0)
		return;
	if (name[length - 1] == '\n')
		length--;
	name[length] = '\0';
	memcpy(record->name, name, (size_t)length + 1);
}

void stat_thread_refresh(void)
{
	const struct segment *segments;
	struct records records = { .count = stat_store_segments(&segments) };
	const struct cuaudit_stat_record *record;

	records.segments = segments;
	while ((record = records_next(&records))) {
		struct cuaudit_stat_thread *thread = (void *)record;

		if (record->type == CUAUDIT_STAT_THREAD && thread->state == LIVE)
			read_name(thread);
	}
}

void stat_thread_forked(void)
{
	nkept = 0;
	numbers = 0;
	others = spare = NULL;
}
