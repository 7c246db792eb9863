/* SPDX-License-Identifier: Apache-2.0 */
/* The records of one process, by type. */
#include "analysis/stat_part.h"

#include <errno.h>

#include "util/sort.h"

/* FUNCTION and LIBRARY records both have their number after the record's head. */
static uint32_t number(const void *record)
{
	return ((const struct cuaudit_stat_function *)record)->slot;
}

_Static_assert(offsetof(struct cuaudit_stat_function, slot) ==
	       offsetof(struct cuaudit_stat_library, index), "numbers lie alike");

static int by_number(const void *left, const void *right)
{
	const void *a = *(const void *const *)left, *b = *(const void *const *)right;

	return ORDER(number(a), number(b)) ?: ORDER(a, b);
}

/* The record of a number, the first if there are more; NULL if there is none. */
static const void *by_index(const struct part_list *list, uint32_t index)
{
	size_t at = FIRST(list->count, i, number(list->records[i]) < index);

	return at < list->count && number(list->records[at]) == index ? list->records[at] : NULL;
}

static int gather(struct arena *memory, struct part_list *list, struct records records,
		  enum cuaudit_stat_type type)
{
	const struct cuaudit_stat_record *record;
	struct records walk = records;
	size_t room = 0;

	while ((record = records_next(&walk)))
		room += record->type == type;
	list->records = arena_take(memory, room, sizeof(*list->records));
	if (!list->records)
		return -ENOMEM;
	while ((record = records_next(&records)) && list->count < room)
		if (record->type == type)
			list->records[list->count++] = record;
	return 0;
}

const struct cuaudit_stat_library *part_library(const struct part *part, uint32_t index)
{
	return by_index(&part->paths, index);
}

const char *part_path(const struct part *part, uint32_t index)
{
	const struct cuaudit_stat_library *library = part_library(part, index);

	if (library)
		return library->path;
	return index == CUAUDIT_STAT_NONE ? NULL : "(unknown library)";
}

const char *part_function(const struct part *part, uint32_t slot)
{
	const struct cuaudit_stat_function *function = by_index(&part->functions, slot);

	return function ? function->name : NULL;
}

int part_gather(struct part *part, struct arena *memory, const struct segment *segments,
		size_t count)
{
	struct records records = { .segments = segments, .count = count };

	part->header = segments[0].data;
	part->records = records;
	if (gather(memory, &part->cells, records, CUAUDIT_STAT_CELL) ||
	    gather(memory, &part->routes, records, CUAUDIT_STAT_ROUTES) ||
	    gather(memory, &part->drivers, records, CUAUDIT_STAT_DRIVER) ||
	    gather(memory, &part->escapes, records, CUAUDIT_STAT_ESCAPE) ||
	    gather(memory, &part->tables, records, CUAUDIT_STAT_TABLE) ||
	    gather(memory, &part->errors, records, CUAUDIT_STAT_ERROR) ||
	    gather(memory, &part->functions, records, CUAUDIT_STAT_FUNCTION) ||
	    gather(memory, &part->paths, records, CUAUDIT_STAT_LIBRARY))
		return -ENOMEM;
	sort(part->functions.records, part->functions.count, sizeof(void *), by_number);
	sort(part->paths.records, part->paths.count, sizeof(void *), by_number);
	return 0;
}
