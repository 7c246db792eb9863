/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the records of a stat file or of a living process. */
#include "analysis/stat_records.h"

#define CHECK(type) \
	_Static_assert(sizeof(struct type) % CUAUDIT_STAT_ALIGN == 0, #type)
CHECK(cuaudit_stat_cell);
CHECK(cuaudit_stat_function);
CHECK(cuaudit_stat_library);
CHECK(cuaudit_stat_thread);
CHECK(cuaudit_stat_driver);
CHECK(cuaudit_stat_routes);
CHECK(cuaudit_stat_escape);
CHECK(cuaudit_stat_table);
CHECK(cuaudit_stat_error);
#undef CHECK
_Static_assert(sizeof(struct cuaudit_stat_header) <= CUAUDIT_STAT_HEADER, "header");
_Static_assert(offsetof(struct cuaudit_stat_cell, own_library) == 64, "counts fill a line");
_Static_assert(offsetof(struct cuaudit_stat_cell, buckets) == 128, "buckets begin a line");

static const uint32_t least[] = {
	[CUAUDIT_STAT_CELL] = offsetof(struct cuaudit_stat_cell, buckets),
	[CUAUDIT_STAT_FUNCTION] = sizeof(struct cuaudit_stat_function),
	[CUAUDIT_STAT_LIBRARY] = offsetof(struct cuaudit_stat_library, build_id_size),
	[CUAUDIT_STAT_THREAD] = sizeof(struct cuaudit_stat_thread),
	[CUAUDIT_STAT_DRIVER] = sizeof(struct cuaudit_stat_driver),
	[CUAUDIT_STAT_ROUTES] = sizeof(struct cuaudit_stat_routes),
	[CUAUDIT_STAT_ESCAPE] = sizeof(struct cuaudit_stat_escape),
	[CUAUDIT_STAT_TABLE] = sizeof(struct cuaudit_stat_table),
	[CUAUDIT_STAT_ERROR] = sizeof(struct cuaudit_stat_error)
};

/* The record at the walk's place, NULL where the segment's row ends. */
static const struct cuaudit_stat_record *here(struct records *records)
{
	const struct segment *segment = &records->segments[records->segment];
	const struct cuaudit_stat_record *record;
	size_t left;

	if (records->segment == 0 && records->offset < CUAUDIT_STAT_HEADER)
		records->offset = CUAUDIT_STAT_HEADER;
	if (records->offset >= segment->size)
		return NULL;
	left = segment->size - records->offset;
	record = (const void *)((const char *)segment->data + records->offset);
	/* Pairs with stat_store_publish. */
	if (left < sizeof(*record) || !__atomic_load_n(&record->type, __ATOMIC_ACQUIRE))
		return NULL;
	if (record->size < CUAUDIT_STAT_ALIGN || record->size % CUAUDIT_STAT_ALIGN ||
	    record->size > left) {
		records->damaged++;
		return NULL;
	}
	return record;
}

const struct cuaudit_stat_record *records_next(struct records *records)
{
	while (records->segment < records->count) {
		const struct cuaudit_stat_record *record = here(records);

		if (!record) {
			records->segment++;
			records->offset = 0;
			continue;
		}
		records->offset += record->size;
		if (record->type < sizeof(least) / sizeof(least[0]) &&
		    record->size >= least[record->type])
			return record;
	}
	return NULL;
}

uint32_t records_build_id(const struct cuaudit_stat_library *library, const uint8_t **id)
{
	*id = library->build_id;
	return library->record.size >= sizeof(*library) &&
	       library->build_id_size <= sizeof(library->build_id) ? library->build_id_size : 0;
}

const uint32_t *records_buckets(const struct cuaudit_stat_cell *cell)
{
	return cell->record.size >= sizeof(*cell) ? cell->buckets : NULL;
}
