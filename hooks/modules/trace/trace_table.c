/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from two words to one, for the numbers of a trace. */
#include "hooks/modules/trace/trace_table.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/hook.h>

enum {
	FIRST = 256,
	LINE = 64,		/* of the cache: what a call needs of a plan lies in its first */
	ARENA = 64 * 1024
};

static struct trace_entry *find(const struct trace_table *table, uint64_t key, uint64_t more)
{
	uint64_t hash = (key * 0x9e3779b97f4a7c15u ^ more) * 0xc2b2ae3d27d4eb4fu;
	uint32_t at = (uint32_t)(hash >> 32);

	for (;; at++) {
		struct trace_entry *entry = &table->entries[at & (table->size - 1)];

		if (!entry->value || (entry->key[0] == key && entry->key[1] == more))
			return entry;
	}
}

/* What the smaller one took stays behind: less than what there is now. */
static int grow(struct trace_table *table)
{
	struct trace_table larger = { .size = table->size ? 2 * table->size : FIRST };

	larger.entries = cuaudit_pages(larger.size * sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->size; i++) {
		const struct trace_entry *entry = &table->entries[i];

		if (!entry->value)
			continue;
		*find(&larger, entry->key[0], entry->key[1]) = *entry;
		larger.used++;
	}
	*table = larger;
	return 0;
}

uint64_t trace_table_get(const struct trace_table *table, uint64_t key, uint64_t more)
{
	return table->size ? find(table, key, more)->value : 0;
}

int trace_table_put(struct trace_table *table, uint64_t key, uint64_t more, uint64_t value)
{
	struct trace_entry *entry;

	if (table->used >= table->size / 4 * 3 && grow(table))
		return -ENOMEM;
	entry = find(table, key, more);
	table->used += !entry->value;
	*entry = (struct trace_entry){ { key, more }, value };
	return 0;
}

void *trace_table_keep(size_t size)
{
	static char *arena;
	static size_t left;
	char *at = arena;

	size = (size + LINE - 1) / LINE * LINE;
	if (left < size) {
		at = cuaudit_pages(ARENA);
		if (!at)
			return NULL;
		left = ARENA;
	}
	arena = at + size;
	left -= size;
	return at;
}

void trace_table_clear(struct trace_table *table)
{
	if (table->size)
		memset(table->entries, 0, table->size * sizeof(*table->entries));
	table->used = 0;
}
