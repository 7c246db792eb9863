/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by small numbers, the same for the same text. */
#include "util/interned.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct interned *interned, const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	size_t slot;

	for (const char *at = text; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	slot = hash & (interned->nslots - 1);
	while (interned->slots[slot] &&
	       strcmp(interned->texts[interned->slots[slot] - 1], text) != 0)
		slot = (slot + 1) & (interned->nslots - 1);
	return slot;
}

/* Room for one more, at most half of the slots taken. */
static int make_room(struct interned *interned)
{
	size_t nslots = interned->nslots ? 2 * interned->nslots : 64;
	uint32_t *slots;
	char **texts;

	if (2 * (interned->count + 1) <= interned->nslots)
		return 0;
	texts = reallocarray(interned->texts, nslots / 2, sizeof(*texts));
	if (!texts)
		return -1;
	interned->texts = texts;
	slots = calloc(nslots, sizeof(*slots));
	if (!slots)
		return -1;
	free(interned->slots);
	interned->slots = slots;
	interned->nslots = nslots;
	for (size_t i = 0; i < interned->count; i++)
		slots[slot_of(interned, texts[i])] = (uint32_t)i + 1;
	return 0;
}

uint32_t interned_number(struct interned *interned, const char *text)
{
	size_t slot;

	if (make_room(interned))
		return INTERNED_NONE;
	slot = slot_of(interned, text);
	if (!interned->slots[slot]) {
		char *copy = strdup(text);

		if (!copy)
			return INTERNED_NONE;
		interned->texts[interned->count++] = copy;
		interned->slots[slot] = (uint32_t)interned->count;
	}
	return interned->slots[slot] - 1;
}

void interned_free(struct interned *interned)
{
	for (size_t i = 0; i < interned->count; i++)
		free(interned->texts[i]);
	free(interned->texts);
	free(interned->slots);
	*interned = (struct interned){ .count = 0 };
}
