/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a report, given back in one go; never the program's heap. */
#include "util/arena.h"

#include <stdint.h>

#include "util/pages.h"

struct arena_piece {
	struct arena_piece *next;
	size_t size;
};

void *arena_take(struct arena *memory, size_t count, size_t size)
{
	struct arena_piece *piece;
	size_t bytes;

	if (__builtin_mul_overflow(count ? count : 1, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*piece), &bytes))
		return NULL;
	piece = pages_map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece == MAP_FAILED)
		return NULL;
	piece->next = memory->pieces;
	piece->size = bytes;
	memory->pieces = piece;
	return piece + 1;
}

void arena_free(struct arena *memory)
{
	struct arena_piece *piece = memory->pieces;

	while (piece) {
		struct arena_piece *next = piece->next;

		pages_unmap(piece, piece->size);
		piece = next;
	}
	memory->pieces = NULL;
}
