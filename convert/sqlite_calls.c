/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on their way into a database. */
#include "convert/sqlite_calls.h"

#include <stdlib.h>

struct table {
	sqlite3_vtab base;
	const struct sqlite_calls *calls;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct sqlite_calls *calls;
	uint32_t at;
};

static int connect_table(sqlite3 *database, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **made, char **message)
{
	struct table *table = calloc(1, sizeof(*table));

	(void)argc;
	(void)argv;
	(void)message;
	if (!table)
		return SQLITE_NOMEM;
	table->calls = data;
	*made = &table->base;
	return sqlite3_declare_vtab(database,
				    "CREATE TABLE x (thread, site, start, duration, correlation,"
				    " result, depth, skipped, kernel, stack)");
}

static int disconnect_table(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedRows = SQLITE_CALLS;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->calls = ((struct table *)table)->calls;
	*made = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int rewind_cursor(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
			 sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct cursor *)base)->at = 0;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at >= cursor->calls->count;
}

static void number_or_null(sqlite3_context *context, int64_t number)
{
	if (number)
		sqlite3_result_int64(context, number);
	else
		sqlite3_result_null(context);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct sqlite_call *row = &cursor->calls->rows[cursor->at];

	switch (number) {
	case 0:
		sqlite3_result_int64(context, row->thread);
		break;
	case 1:
		sqlite3_result_int64(context, row->site);
		break;
	case 2:
		sqlite3_result_int64(context, row->start);
		break;
	case 3:
		sqlite3_result_int64(context, row->duration);
		break;
	case 4:
		sqlite3_result_int64(context, row->correlation);
		break;
	case 5:
		sqlite3_result_int(context, row->result);
		break;
	case 6:
		sqlite3_result_int(context, row->depth);
		break;
	case 7:
		sqlite3_result_int(context, row->skipped);
		break;
	case 8:
		number_or_null(context, row->kernel);
		break;
	default:
		number_or_null(context, row->stack);
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = ((struct cursor *)base)->at;
	return SQLITE_OK;
}

int sqlite_calls_table(sqlite3 *database, struct sqlite_calls *calls)
{
	/* Without xCreate it is there by its name, and nothing of it in the file. */
	static const sqlite3_module module = {
		.xConnect = connect_table,
		.xBestIndex = best_index,
		.xDisconnect = disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = rewind_cursor,
		.xNext = next_row,
		.xEof = at_end,
		.xColumn = column,
		.xRowid = row_id,
	};

	return sqlite3_create_module(database, "cuaudit_calls", &module, calls);
}
