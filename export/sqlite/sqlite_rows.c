/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are inserted into a database. */
#include "export/sqlite/sqlite_rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One of the two tables there are. */
struct kind {
	const char *name, *columns;
	uint32_t (*count)(const struct sqlite_rows *rows);
	void (*column)(const struct sqlite_rows *rows, uint32_t at, sqlite3_context *context,
		       int number);
};

struct table {
	sqlite3_vtab base;
	const struct kind *kind;
	const struct sqlite_rows *rows;
};

struct cursor {
	sqlite3_vtab_cursor base;
	uint32_t at;
};

static uint32_t count_calls(const struct sqlite_rows *rows)
{
	return rows->ncalls;
}

static uint32_t count_arguments(const struct sqlite_rows *rows)
{
	return rows->narguments;
}

static void number_or_null(sqlite3_context *context, int64_t number, bool known)
{
	if (known)
		sqlite3_result_int64(context, number);
	else
		sqlite3_result_null(context);
}

static void column_of_call(const struct sqlite_rows *rows, uint32_t at, sqlite3_context *context,
			   int number)
{
	enum { KERNEL = offsetof(struct sqlite_call, kernel) / sizeof(int64_t) };
	int64_t value = ((const int64_t *)&rows->calls[at])[number];

	number_or_null(context, value, number < KERNEL ? value != SQLITE_UNKNOWN : value != 0);
}

static void column_of_argument(const struct sqlite_rows *rows, uint32_t at,
			       sqlite3_context *context, int number)
{
	const struct sqlite_argument *row = &rows->arguments[at];

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
		sqlite3_result_text(context, rows->texts + row->value, (int)row->length,
				    SQLITE_STATIC);
		break;
	default:
		if (row->is_large)
			sqlite3_result_double(context, (double)(uint64_t)row->number);
		else
			number_or_null(context, row->number, row->is_number);
	}
}

static const struct kind kinds[] = {
	{ "cuaudit_calls", "CREATE TABLE x (thread, site, start, duration, correlation,"
	  " result, depth, skipped, kernel, stack, arguments)", count_calls, column_of_call },
	{ "cuaudit_arguments", "CREATE TABLE x (list, position, name, value, number)",
	  count_arguments, column_of_argument }
};

/* What a table is connected with. */
static int connect_table(sqlite3 *database, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **made, char **message)
{
	struct table *table = calloc(1, sizeof(*table));

	(void)argc;
	(void)message;
	if (!table)
		return SQLITE_NOMEM;
	table->kind = strcmp(argv[0], kinds[0].name) ? &kinds[1] : &kinds[0];
	table->rows = data;
	*made = &table->base;
	return sqlite3_declare_vtab(database, table->kind->columns);
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
	(void)table;
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

static const struct table *table_of(const sqlite3_vtab_cursor *cursor)
{
	return (const struct table *)cursor->pVtab;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	const struct table *table = table_of(cursor);

	return ((struct cursor *)cursor)->at >= table->kind->count(table->rows);
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number)
{
	const struct table *table = table_of(cursor);

	table->kind->column(table->rows, ((struct cursor *)cursor)->at, context, number);
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
	int code = sqlite3_create_module(database, kinds[0].name, &module, rows);

	return code ?: sqlite3_create_module(database, kinds[1].name, &module, rows);
}
