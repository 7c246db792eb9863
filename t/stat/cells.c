/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells FILE: reads a record file of the statistics by its header alone, says
 * what of a cell does not fit the rest of it, and prints for each function and
 * calling library FUNCTION LIBRARY CALLS ERRORS NOT_READY TOTAL_NS.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/stat.h>

enum { SLOTS = 1024, LIBRARIES = 64 };

static char functions[SLOTS][112], libraries[LIBRARIES][496];
static struct {
	uint64_t calls, errors, not_ready, total;
} sums[SLOTS][LIBRARIES];

static int wrong;

static void check(const struct cuaudit_stat_cell *cell, const char *what, int right)
{
	if (right)
		return;
	printf("slot %u, library %u, thread %u, %llu calls: %s\n", cell->slot, cell->library,
	       cell->thread, (unsigned long long)cell->calls, what);
	wrong = 1;
}

static void check_cell(const struct cuaudit_stat_cell *cell)
{
	double low = 0, high = 0, low2 = 0, high2 = 0;
	uint64_t calls = 0;
	uint32_t first = CUAUDIT_STAT_BUCKETS, last = 0;

	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
		double count = cell->buckets[i], floor = (double)cuaudit_stat_floor(i);
		double ceiling = (double)cuaudit_stat_floor(i + 1);

		if (!cell->buckets[i])
			continue;
		first = first < i ? first : i;
		last = i;
		calls += cell->buckets[i];
		low += count * floor;
		high += count * ceiling;
		low2 += count * floor * floor;
		high2 += count * ceiling * ceiling;
	}
	check(cell, "the histogram has another number", calls == cell->calls);
	check(cell, "more errors than calls", cell->errors + cell->not_ready <= cell->calls);
	check(cell, "the sum is not the histogram's",
	      low <= (double)cell->total && (double)cell->total <= high);
	check(cell, "nor are the squares", low2 * (1 - 1e-9) <= cell->squares && cell->squares <= high2);
	check(cell, "the least is in another bucket", cuaudit_stat_bucket(cell->min) == first);
	check(cell, "the most is in another bucket", cuaudit_stat_bucket(cell->max) == last);
}

static void add(const struct cuaudit_stat_record *record)
{
	const struct cuaudit_stat_cell *cell = (const void *)record;
	const struct cuaudit_stat_function *function = (const void *)record;
	const struct cuaudit_stat_library *library = (const void *)record;

	if (record->type == CUAUDIT_STAT_FUNCTION && function->slot < SLOTS)
		memcpy(functions[function->slot], function->name, sizeof(function->name));
	if (record->type == CUAUDIT_STAT_LIBRARY && library->index < LIBRARIES)
		memcpy(libraries[library->index], library->path, sizeof(library->path));
	if (record->type != CUAUDIT_STAT_CELL || !cell->calls)
		return;
	check_cell(cell);
	check(cell, "the slot or library is none", cell->slot < SLOTS && cell->library < LIBRARIES);
	if (cell->slot >= SLOTS || cell->library >= LIBRARIES)
		return;
	sums[cell->slot][cell->library].calls += cell->calls;
	sums[cell->slot][cell->library].errors += cell->errors;
	sums[cell->slot][cell->library].not_ready += cell->not_ready;
	sums[cell->slot][cell->library].total += cell->total;
}

static void print(int slot, int library, const struct cuaudit_stat_header *header)
{
	const char *name = strrchr(libraries[library], '/');

	printf("%s %s %llu %llu %llu %.0f\n", functions[slot], name ? name + 1 : "?",
	       (unsigned long long)sums[slot][library].calls,
	       (unsigned long long)sums[slot][library].errors,
	       (unsigned long long)sums[slot][library].not_ready,
	       ldexp((double)sums[slot][library].total * (double)header->clock_mult,
		     -(int)header->clock_shift));
}

int main(int argc, char **argv)
{
	static char segment[CUAUDIT_STAT_SEGMENT] __attribute__((aligned(64)));
	struct cuaudit_stat_header header = { .version = 0 };
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file)
		return 2;
	for (size_t begin = CUAUDIT_STAT_HEADER; fread(segment, sizeof(segment), 1, file); begin = 0) {
		if (begin)
			memcpy(&header, segment, sizeof(header));
		for (size_t at = begin; at + sizeof(struct cuaudit_stat_record) <= sizeof(segment);) {
			const struct cuaudit_stat_record *record = (const void *)(segment + at);

			if (!record->type || record->size < sizeof(*record))
				break;
			add(record);
			at += record->size;
		}
	}
	for (int i = 0; i < SLOTS * LIBRARIES; i++)
		if (sums[i / LIBRARIES][i % LIBRARIES].calls)
			print(i / LIBRARIES, i % LIBRARIES, &header);
	return wrong;
}
