/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a report, given back in one go; never the program's heap. */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_piece *pieces;
};

/* Zeroed room for count things of size bytes, at least one; NULL when out. */
void *arena_take(struct arena *memory, size_t count, size_t size);

void arena_free(struct arena *memory);

#endif
