/* SPDX-License-Identifier: Apache-2.0 */
/* The records of one process, by type. */
#ifndef ANALYSIS_STAT_PART_H
#define ANALYSIS_STAT_PART_H

#include <cuaudit/stat.h>

#include "analysis/stat_records.h"
#include "util/arena.h"

/* Records of one type, in the order of their file. */
struct part_list {
	const void **records;
	size_t count;
};

/* What one process has recorded. */
struct part {
	const struct cuaudit_stat_header *header;
	struct records records;
	struct part_list cells, routes, drivers, escapes, tables, errors;
	struct part_list functions;	/* by slot */
	struct part_list paths;	/* libraries, by index */
};

/* Gathers what is in segments. 0 or -ENOMEM. */
int part_gather(struct part *part, struct arena *memory, const struct segment *segments,
		size_t count);

/* The name of a function by its slot, NULL if there is none. */
const char *part_function(const struct part *part, uint32_t slot);

/* The record of a library, NULL if there is none. */
const struct cuaudit_stat_library *part_library(const struct part *part, uint32_t index);

/* The path of a library by its index, NULL for CUAUDIT_STAT_NONE. */
const char *part_path(const struct part *part, uint32_t index);

#endif
