/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are inserted into a database. */
/*
 * Virtual tables hand many rows to one statement. That is three times as fast
 * as a statement for each: binding and starting it take longer than the row
 * itself.
 */
#ifndef EXPORT_SQLITE_SQLITE_ROWS_H
#define EXPORT_SQLITE_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { SQLITE_CALLS = 16384, SQLITE_ARGUMENTS = 8192, SQLITE_TEXTS = 1 << 20 };

#define SQLITE_UNKNOWN INT64_MIN	/* NULL, where 0 is a number */

/* A row of the table call, its columns in their order. */
struct sqlite_call {
	int64_t thread, site, start, duration, correlation, result, depth, skipped;
	int64_t kernel, stack, arguments;	/* 0: none */
};

/* A row of the table argument. */
struct sqlite_argument {
	int64_t list, number;
	const char *name;		/* stays where it is */
	uint32_t value, length;		/* in the texts */
	uint16_t position;
	bool is_number, is_large;	/* is_large: number is of 2^63 or more, without a sign */
};

struct sqlite_rows {
	uint32_t ncalls, narguments, ntexts;
	struct sqlite_call calls[SQLITE_CALLS];
	struct sqlite_argument arguments[SQLITE_ARGUMENTS];
	char texts[SQLITE_TEXTS];
};

/*
 * Makes the tables cuaudit_calls and cuaudit_arguments of what is in rows
 * whenever they are read. An SQLite result code.
 */
int sqlite_rows_tables(sqlite3 *database, struct sqlite_rows *rows);

#endif
