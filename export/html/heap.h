/* SPDX-License-Identifier: Apache-2.0 */
/* The calls with the greatest keys, up to a number of them. */
#ifndef EXPORT_HTML_HEAP_H
#define EXPORT_HTML_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call that the page shows by itself. */
struct shown_call {
	uint64_t key;
	uint64_t start;		/* ns from the timeline's beginning */
	uint64_t duration;
	uint64_t correlation;
	uint32_t row;
	uint32_t function;
	uint32_t caller;
	uint32_t kernel;	/* INTERNED_NONE: unknown, or no launch */
	int32_t result;
	uint16_t depth;
	uint16_t status;	/* enum cuaudit_trace_status */
	size_t text, length;	/* its arguments among the timeline's texts; 0 long: not kept */
};

struct heap {
	struct shown_call *calls;
	size_t count, room;
	size_t most;
};

/* Whether a call of that key would be taken. */
static inline bool heap_wants(const struct heap *heap, uint64_t key)
{
	return heap->count < heap->most || (heap->most && key > heap->calls[0].key);
}

/* Takes a call that heap_wants, in place of the least where it is full. 0 or -ENOMEM. */
int heap_take(struct heap *heap, const struct shown_call *call);

#endif
