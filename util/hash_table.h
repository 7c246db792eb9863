/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by a key of any bytes, numbered as they come. */
#ifndef UTIL_HASH_TABLE_H
#define UTIL_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TABLE_NONE UINT32_MAX

struct table_key {
	const void *bytes;
	size_t size;
};

struct table_block;	/* of keys */

/* Begins as { .row = sizeof(a row) }. */
struct table {
	size_t row;
	char *rows;
	size_t count, room;
	struct table_key *keys;	/* of each row */
	uint32_t *slots;	/* by hash: a row's number + 1, or 0 */
	size_t nslots;
	struct table_block *blocks;
};

/*
 * The number of the row of that key; a new one is zeroed, and its key is
 * copied. TABLE_NONE when memory is out.
 */
uint32_t table_find(struct table *table, const void *key, size_t size);

/* The same by a text, which is what the key's bytes are then. */
static inline uint32_t table_text(struct table *table, const char *text)
{
	return table_find(table, text, strlen(text) + 1);
}

/* Moves when table_find makes a new one. */
static inline void *table_row(const struct table *table, uint32_t number)
{
	return table->rows + number * table->row;
}

void table_free(struct table *table);

#endif
