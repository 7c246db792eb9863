/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of cuaudit-sqlite(5). */
#ifndef EXPORT_SQLITE_SQLITE_SCHEMA_H
#define EXPORT_SQLITE_SQLITE_SCHEMA_H

enum {
	SQLITE_SCHEMA_VERSION = 2,		/* user_version; a table or column that changes raises it */
	SQLITE_SCHEMA_APPLICATION = 0x63756175	/* "cuau" */
};

/* Before any row. */
extern const char sqlite_tables[];

/* From the virtual tables of sqlite_rows.h, whose columns are in this order. */
extern const char sqlite_insert_calls[];
extern const char sqlite_insert_arguments[];

/* If any call has one. */
extern const char sqlite_kernel_index[];

/* Behind the last row: indexes and views. */
extern const char sqlite_views[];

#endif
