/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from two words to one, for the numbers of a trace. */
#ifndef HOOKS_MODULES_TRACE_TRACE_TABLE_H
#define HOOKS_MODULES_TRACE_TRACE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct trace_entry {
	uint64_t key[2];
	uint64_t value;		/* 0: the entry is free */
};

/* Empty when zeroed. */
struct trace_table {
	struct trace_entry *entries;
	uint32_t size;		/* a power of two, or 0 */
	uint32_t used;
};

/* Context of all: call, locked. The value of a key, 0 if it has none. */
uint64_t trace_table_get(const struct trace_table *table, uint64_t key, uint64_t more);

/* Gives it one that is not 0. 0, or -ENOMEM. */
int trace_table_put(struct trace_table *table, uint64_t key, uint64_t more, uint64_t value);

/* Memory, zeroed, up to 64 KiB, that is never given back; NULL if there is none. */
void *trace_table_keep(size_t size);

/* Nothing is in it any more. */
void trace_table_clear(struct trace_table *table);

#endif
