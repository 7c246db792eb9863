/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on their way into a database. */
/*
 * A virtual table hands many rows to one statement. That is three times as
 * fast as a statement for each: binding and starting it take longer than the
 * row itself.
 */
#ifndef CONVERT_SQLITE_CALLS_H
#define CONVERT_SQLITE_CALLS_H

#include <sqlite3.h>
#include <stdint.h>

enum { SQLITE_CALLS = 16384 };

/* A row of the table call. */
struct sqlite_call {
	int64_t start, duration, correlation, thread, site;
	int64_t kernel, stack;	/* 0: none */
	int32_t result;
	uint16_t depth;
	uint16_t skipped;
};

struct sqlite_calls {
	uint32_t count;
	struct sqlite_call rows[SQLITE_CALLS];
};

/* Makes the table cuaudit_calls of what is in calls whenever it is read. An SQLite result code. */
int sqlite_calls_table(sqlite3 *database, struct sqlite_calls *calls);

#endif
