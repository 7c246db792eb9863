/* SPDX-License-Identifier: Apache-2.0 */
/* The calls with the greatest keys, up to a number of them. */
#include "export/html/heap.h"

#include <errno.h>
#include <stdlib.h>

static void sift_up(struct heap *heap, const struct shown_call *call)
{
	size_t at = heap->count++;

	for (; at && heap->calls[(at - 1) / 2].key > call->key; at = (at - 1) / 2)
		heap->calls[at] = heap->calls[(at - 1) / 2];
	heap->calls[at] = *call;
}

static void sift_down(struct heap *heap, const struct shown_call *call)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && heap->calls[child + 1].key < heap->calls[child].key)
			child++;
		if (heap->calls[child].key >= call->key)
			break;
		heap->calls[at] = heap->calls[child];
		at = child;
	}
	heap->calls[at] = *call;
}

int heap_take(struct heap *heap, const struct shown_call *call)
{
	if (heap->count == heap->most) {
		sift_down(heap, call);
		return 0;
	}
	if (heap->count == heap->room) {
		size_t room = heap->room ? 2 * heap->room : 64;
		struct shown_call *calls = reallocarray(heap->calls, room, sizeof(*calls));

		if (!calls)
			return -ENOMEM;
		heap->calls = calls;
		heap->room = room;
	}
	sift_up(heap, call);
	return 0;
}
