/* SPDX-License-Identifier: Apache-2.0 */
/* What calls were given, remembered: most are given what one before them was. */
#ifndef EXPORT_SQLITE_SQLITE_LISTS_H
#define EXPORT_SQLITE_SQLITE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefile/tracefile.h"

/* Arguments as the file has them, and what became of them. */
struct sqlite_list {
	int64_t list, kernel;	/* rows; 0: none */
	uint64_t hash;
	uint32_t function;	/* TRACE_NONE: nothing is remembered here */
	int32_t result;
	uint16_t status;
	uint16_t size;
	uint8_t bytes[220];
};

enum { SQLITE_LISTS = 16384, SQLITE_LIST_WAYS = 4 };

/* Those that calls were given last, more or less: one that is forgotten is written again. */
struct sqlite_lists {
	uint32_t victim;
	struct sqlite_list all[SQLITE_LISTS];
};

/* Forgets all: functions have other numbers in another file. */
void sqlite_lists_clear(struct sqlite_lists *lists);

/*
 * Where the call's are remembered; *known tells whether they were, else list
 * and kernel are to be set. NULL: they are too long. It holds until the next call.
 */
struct sqlite_list *sqlite_lists_find(struct sqlite_lists *lists, uint32_t function,
				      const struct trace_call *call, bool *known);

#endif
