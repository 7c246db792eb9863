/* SPDX-License-Identifier: Apache-2.0 */
/* Where AArch64 passes the parameters of a row (AAPCS64, 6.8.2). */
#include <string.h>

#include "hooks/layout.h"

/* Walks a row's parameters the way the ABI hands out registers. */
struct cursor {
	uint32_t regs, vectors, stack;
	uint32_t copies;	/* words of structures passed by reference */
};

/*
 * The place of the next parameter in the frame; *words: how many it has. A
 * structure of more than 16 bytes is a pointer there, to a copy the callee owns.
 */
static uint64_t *place(struct cursor *cursor, struct frame *frame, uint8_t code, uint32_t *words)
{
	uint32_t there = code & LAYOUT_MEMORY ? 1 : code & LAYOUT_WORDS;
	uint64_t *at;

	*words = code & LAYOUT_WORDS;
	if (code & LAYOUT_FLOAT) {
		there = code & LAYOUT_VECTORS;
		*words = there;
		if (cursor->vectors + there <= FRAME_NVECTORS) {
			cursor->vectors += there;
			return frame->vectors[cursor->vectors - there];
		}
		cursor->vectors = FRAME_NVECTORS;
		if (code & LAYOUT_HALVES)
			there = (there + 1) / 2;
	} else {
		if (cursor->regs + there <= FRAME_NREGS) {
			at = &frame->regs[cursor->regs];
			cursor->regs += there;
			return at;
		}
		/* What did not fit is the end of the registers, unlike System V's. */
		cursor->regs = FRAME_NREGS;
	}
	at = &frame->stack_args[cursor->stack];
	cursor->stack += there;
	return at;
}

/* Room for a structure: the end of the window, which no row's stack words reach. */
static uint64_t *copy_of(struct cursor *cursor, struct frame *frame, uint32_t words)
{
	cursor->copies += words;
	return &frame->stack_args[FRAME_NSTACK_ARGS - cursor->copies];
}

uint32_t layout_stack_words(const struct layout *row)
{
	static struct frame nowhere;	/* neither read nor written */
	struct cursor cursor = { 0, 0, 0, 0 };
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++)
		place(&cursor, &nowhere, row->params[i], &words);
	return cursor.stack;
}

uint32_t layout_places(const struct layout *row, uint8_t *words)
{
	static struct frame nowhere;	/* neither read nor written */
	struct cursor cursor = { 0, 0, 0, 0 };
	uint32_t many;

	for (uint32_t i = 0; i < row->nparams; i++) {
		words[i] = (uint8_t)(place(&cursor, &nowhere, row->params[i], &many) - nowhere.regs);
		if (cursor.stack > FRAME_NSTACK_ARGS)
			return i;
	}
	return row->nparams;
}

void layout_gather(struct frame *frame, const struct layout *row)
{
	struct cursor cursor = { 0, 0, 0, 0 };
	uint64_t *to = frame->ordered;
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++, to += words) {
		const uint64_t *from = place(&cursor, frame, row->params[i], &words);

		if (row->params[i] & LAYOUT_MEMORY)
			from = (const uint64_t *)*from;
		memcpy(to, from, words * sizeof(*to));
	}
}

void layout_scatter(struct frame *frame, const struct layout *row)
{
	struct cursor cursor = { 0, 0, 0, 0 };
	const uint64_t *from = frame->ordered;
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++, from += words) {
		uint64_t *to = place(&cursor, frame, row->params[i], &words);

		/* A copy of our own: the caller's may be something it still reads. */
		if (row->params[i] & LAYOUT_MEMORY) {
			uint64_t *copy = copy_of(&cursor, frame, words);

			*to = (uintptr_t)copy;
			to = copy;
		}
		memcpy(to, from, words * sizeof(*to));
	}
}
