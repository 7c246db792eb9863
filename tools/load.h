/* SPDX-License-Identifier: Apache-2.0 */
/* A stat record file in memory, safe to walk whatever it holds. */
#ifndef TOOLS_LOAD_H
#define TOOLS_LOAD_H

#include <stdbool.h>

#include "analysis/stat_records.h"

struct load {
	char *data;
	size_t size;		/* without room at the end that is not in use */
	size_t mapped;		/* bytes of data that are mapped; 0: it is allocated */
	bool cut;		/* bytes are missing at the file's end */
	struct segment *segments;
	size_t count;
};

/*
 * Reads all of the file, so that nobody who cuts it short meanwhile matters,
 * and ends each text in it with a NUL. NULL, or what is wrong with the file.
 */
const char *load_file(struct load *load, const char *path);

enum load_kind {
	LOAD_FOREIGN,	/* no record file, or not readable */
	LOAD_EMPTY,	/* of a process that has not come to write its header */
	LOAD_RECORDS
};

/* By how a file begins. */
enum load_kind load_kind(const char *path);

void load_free(struct load *load);

#endif
