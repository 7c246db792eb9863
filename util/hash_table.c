/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by a key of any bytes, numbered as they come. */
#include "util/hash_table.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16384, ALIGN = 8 };

struct table_block {
	struct table_block *next;
	size_t used, size;
	char bytes[] __attribute__((aligned(ALIGN)));
};

static uint64_t hash_of(const void *key, size_t size)
{
	const unsigned char *at = key;
	uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15), word;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, at, size);
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static const void *keep(struct table *table, const void *key, size_t size)
{
	size_t needed = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	struct table_block *block = table->blocks;

	if (!block || block->size - block->used < needed) {
		size_t room = needed > BLOCK ? needed : BLOCK;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		*block = (struct table_block){ .next = table->blocks, .size = room };
		table->blocks = block;
	}
	block->used += needed;
	return memcpy(block->bytes + block->used - needed, key, size);
}

/* The slot of the key, or the empty one where it belongs. */
static uint32_t *slot_of(const struct table *table, const void *key, size_t size)
{
	size_t at = hash_of(key, size) & (table->nslots - 1);

	for (;; at = (at + 1) & (table->nslots - 1)) {
		uint32_t *slot = &table->slots[at];
		const struct table_key *other = &table->keys[*slot - 1];

		if (!*slot || (other->size == size && !memcmp(other->bytes, key, size)))
			return slot;
	}
}

/* Twice the room, and at most half of the slots in use. */
static int grow(struct table *table)
{
	size_t room = table->room ? 2 * table->room : 16;
	uint32_t *slots = calloc(2 * room, sizeof(*slots));
	struct table_key *keys = reallocarray(table->keys, room, sizeof(*keys));
	char *rows;

	if (keys)
		table->keys = keys;
	rows = reallocarray(table->rows, room, table->row);
	if (rows)
		table->rows = rows;
	if (!slots || !keys || !rows || room > UINT32_MAX / 2) {
		free(slots);
		return -1;
	}
	free(table->slots);
	table->slots = slots;
	table->nslots = 2 * room;
	table->room = room;
	for (uint32_t i = 0; i < table->count; i++)
		*slot_of(table, keys[i].bytes, keys[i].size) = i + 1;
	return 0;
}

uint32_t table_find(struct table *table, const void *key, size_t size)
{
	uint32_t *slot = NULL;
	const void *bytes;

	if (table->nslots) {
		slot = slot_of(table, key, size);
		if (*slot)
			return *slot - 1;
	}
	bytes = keep(table, key, size);
	if (!bytes)
		return TABLE_NONE;
	if (table->count == table->room) {
		if (grow(table))
			return TABLE_NONE;
		slot = slot_of(table, key, size);
	}
	table->keys[table->count] = (struct table_key){ bytes, size };
	memset(table_row(table, (uint32_t)table->count), 0, table->row);
	*slot = (uint32_t)++table->count;
	return *slot - 1;
}

void table_free(struct table *table)
{
	while (table->blocks) {
		struct table_block *next = table->blocks->next;

		free(table->blocks);
		table->blocks = next;
	}
	free(table->rows);
	free(table->keys);
	free(table->slots);
	*table = (struct table){ .row = table->row };
}
