/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the records of a stat file or of a living process. */
#ifndef ANALYSIS_STAT_RECORDS_H
#define ANALYSIS_STAT_RECORDS_H

#include <stddef.h>

#include <cuaudit/stat.h>

/* A whole segment; the last one of a torn file may be shorter. */
struct segment {
	const void *data;
	size_t size;
};

struct records {
	const struct segment *segments;
	size_t count;
	size_t segment;		/* where the walk stands */
	size_t offset;
	size_t damaged;		/* segments whose row breaks off */
};

/*
 * The next record whose type is known and which is at least as large as its
 * type's structure, NULL at the end. Start with segment and offset 0.
 */
const struct cuaudit_stat_record *records_next(struct records *records);

/* The size of a library's build ID, and where it is; 0: not known. */
uint32_t records_build_id(const struct cuaudit_stat_library *library, const uint8_t **id);

/* The buckets of a cell, NULL if it has none. */
const uint32_t *records_buckets(const struct cuaudit_stat_cell *cell);

#endif
