/* SPDX-License-Identifier: Apache-2.0 */
/* The objects there are at a time, by handle. */
#include "analysis/live.h"

#include <errno.h>
#include <stdlib.h>

/* Where the search for an object begins. */
static size_t home(const struct live *live, uint8_t space, uint64_t handle)
{
	uint64_t hash = (handle ^ (uint64_t)space << 56) * UINT64_C(0x9e3779b97f4a7c15);

	return (hash ^ hash >> 32) & (live->nslots - 1);
}

/* The object's slot, or the empty one at which the search ends. */
static struct live_object *slot_of(const struct live *live, uint8_t space, uint64_t handle)
{
	size_t at = home(live, space, handle);

	while (live->slots[at].claims &&
	       (live->slots[at].handle != handle || live->slots[at].space != space))
		at = (at + 1) & (live->nslots - 1);
	return &live->slots[at];
}

struct live_object *live_find(const struct live *live, uint8_t space, uint64_t handle)
{
	struct live_object *slot = live->nslots ? slot_of(live, space, handle) : NULL;

	return slot && slot->claims ? slot : NULL;
}

static int grow(struct live *live)
{
	struct live larger = { .nslots = live->nslots ? 2 * live->nslots : 64 };

	larger.slots = calloc(larger.nslots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	larger.count = live->count;
	for (size_t i = 0; i < live->nslots; i++) {
		const struct live_object *object = &live->slots[i];

		if (object->claims)
			*slot_of(&larger, object->space, object->handle) = *object;
	}
	free(live->slots);
	*live = larger;
	return 0;
}

int live_add(struct live *live, const struct live_object *object)
{
	if (2 * live->count >= live->nslots && grow(live))
		return -ENOMEM;
	*slot_of(live, object->space, object->handle) = *object;
	live->count++;
	return 0;
}

void live_remove(struct live *live, struct live_object *object)
{
	size_t mask = live->nslots - 1, hole = (size_t)(object - live->slots), at = hole;

	/* Those behind it that the search would no longer find move up. */
	while (live->slots[at = (at + 1) & mask].claims) {
		size_t begin = home(live, live->slots[at].space, live->slots[at].handle);

		if (((at - begin) & mask) < ((at - hole) & mask))
			continue;
		live->slots[hole] = live->slots[at];
		hole = at;
	}
	live->slots[hole].claims = 0;
	live->count--;
}

void live_free(struct live *live)
{
	free(live->slots);
}
