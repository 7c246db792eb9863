/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are inserted into a database. */
#include "export/sqlite/sqlite_rows.h"

#include <stdlib.h>

struct table {
	sqlite3_vtab base;
	const struct sqlite_rows *rows;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct sqlite_rows *rows;
	uint32_t at;
};

static int connect_table(sqlite3 *database, const struct sqlite_rows *rows, const char *columns,
			 sqlite3_vtab **made)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return SQLITE_NOMEM;
	table->rows = rows;
	*made = &table->base;
	return sqlite3_declare_vtab(database, columns);
}

static int connect_calls(sqlite3 *database, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **made, char **message)
{
	(void)argc;
	(void)argv;
	(void)message;
	return connect_table(database, data,
			     "CREATE TABLE x (thread, site, start, duration, correlation,"
			     " result, depth, skipped, kernel, stack, arguments)", made);
}

static int connect_arguments(sqlite3 *database, void *data, int argc, const char *const *argv,
			     sqlite3_vtab **made, char **message)
{
	(void)argc;
	(void)argv;
	(void)message;
	return connect_table(database, data, "CREATE TABLE x (list, position, name, value, number)",
			     made);
}

static int disconnect_table(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedRows = SQLITE_ARGUMENTS;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->rows = ((struct table *)table)->rows;
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

static int at_end_of_calls(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at >= cursor->rows->ncalls;
}

static int at_end_of_arguments(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at >= cursor->rows->narguments;
}

static void number_or_null(sqlite3_context *context, int64_t number)
{
	if (number)
		sqlite3_result_int64(context, number);
	else
		sqlite3_result_null(context);
}

static int column_of_call(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct sqlite_call *row = &cursor->rows->calls[cursor->at];

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
	case 9:
		number_or_null(context, row->stack);
		break;
	default:
		number_or_null(context, row->arguments);
	}
	return SQLITE_OK;
}

static int column_of_argument(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct sqlite_argument *row = &cursor->rows->arguments[cursor->at];

	switch (number) {
	case 0:
		sqlite3_result_int64(context, row->list);
		break;
	case 1:
		sqlite3_result_int(context, row->position);
		break;
	case 2:
		sqlite3_result_text(context, row->name, -1, SQLITE_STATIC);
		break;
	case 3:
		sqlite3_result_text(context, cursor->rows->texts + row->value, (int)row->length,
				    SQLITE_STATIC);
		break;
	default:
		if (row->is_number)
			sqlite3_result_int64(context, row->number);
		else
			sqlite3_result_null(context);
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = ((struct cursor *)base)->at;
	return SQLITE_OK;
}

int sqlite_rows_tables(sqlite3 *database, struct sqlite_rows *rows)
{
	/* Without xCreate they are there by their names, and nothing of them in the file. */
	static const sqlite3_module calls = {
		.xConnect = connect_calls,
		.xBestIndex = best_index,
		.xDisconnect = disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = rewind_cursor,
		.xNext = next_row,
		.xEof = at_end_of_calls,
		.xColumn = column_of_call,
		.xRowid = row_id,
	};
	static const sqlite3_module arguments = {
		.xConnect = connect_arguments,
		.xBestIndex = best_index,
		.xDisconnect = disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = rewind_cursor,
		.xNext = next_row,
		.xEof = at_end_of_arguments,
		.xColumn = column_of_argument,
		.xRowid = row_id,
	};
	int code = sqlite3_create_module(database, "cuaudit_calls", &calls, rows);

	return code ? code : sqlite3_create_module(database, "cuaudit_arguments", &arguments, rows);
}
