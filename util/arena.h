/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a report, given back in one go; never the program's heap. */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stddef.h>

struct memory {
	struct memory_piece *pieces;
};

/* Zeroed room for count things of size bytes, at least one; NULL when out. */
void *memory_take(struct memory *memory, size_t count, size_t size);

void memory_free(struct memory *memory);

#endif
