/* SPDX-License-Identifier: Apache-2.0 */
/* The calls with the greatest keys, up to a number of them. */
#include "export/html/heap.h"

#include <errno.h>

#include "util/bytes.h"

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
	struct shown_call *calls;

	if (heap->count == heap->most) {
		sift_down(heap, call);
		return 0;
	}
	calls = bytes_grown(heap->calls, &heap->room, heap->count, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	heap->calls = calls;
	sift_up(heap, call);
	return 0;
}
