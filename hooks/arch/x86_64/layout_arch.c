/* SPDX-License-Identifier: Apache-2.0 */
/* Where x86-64 passes the parameters of a row (System V ABI, 3.2.3). */
#include <string.h>

#include "hooks/layout.h"

/* Walks a row's parameters the way the ABI hands out registers. */
struct cursor {
	uint32_t regs, vectors, stack;
};

/* The place of the next parameter in the frame; *words: how many there. */
static uint64_t *place(struct cursor *cursor, struct frame *frame, uint8_t code, uint32_t *words)
{
	uint64_t *at;

	*words = code & (code & LAYOUT_FLOAT ? LAYOUT_VECTORS : LAYOUT_WORDS);
	if ((code & LAYOUT_BOTH) == LAYOUT_BOTH) {
		if (cursor->regs < FRAME_NREGS && cursor->vectors < FRAME_NVECTORS) {
			cursor->vectors++;
			return &frame->regs[cursor->regs++];
		}
	} else if (code & LAYOUT_FLOAT && cursor->vectors + *words <= FRAME_NVECTORS) {
		cursor->vectors += *words;
		return frame->vectors[cursor->vectors - *words];
	}
	if (!(code & (LAYOUT_FLOAT | LAYOUT_MEMORY)) && cursor->regs + *words <= FRAME_NREGS) {
		at = &frame->regs[cursor->regs];
		cursor->regs += *words;
		return at;
	}
	at = &frame->stack_args[cursor->stack];
	cursor->stack += *words;
	return at;
}

static struct cursor walk(const struct layout *row)
{
	static struct frame nowhere;	/* neither read nor written */
	struct cursor cursor = { 0, 0, 0 };
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++)
		place(&cursor, &nowhere, row->params[i], &words);
	return cursor;
}

uint32_t layout_stack_words(const struct layout *row)
{
	return walk(row).stack;
}

uint32_t layout_places(const struct layout *row, uint8_t *words)
{
	static struct frame nowhere;	/* neither read nor written */
	struct cursor cursor = { 0, 0, 0 };
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
	struct cursor cursor = { 0, 0, 0 };
	uint64_t *to = frame->ordered;
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++, to += words) {
		const uint64_t *from = place(&cursor, frame, row->params[i], &words);

		memcpy(to, from, words * sizeof(*to));
	}
}

void layout_scatter(struct frame *frame, const struct layout *row)
{
	struct cursor cursor = { 0, 0, 0 };
	const uint64_t *from = frame->ordered;
	uint32_t words;

	for (uint32_t i = 0; i < row->nparams; i++, from += words) {
		uint64_t *to = place(&cursor, frame, row->params[i], &words);

		memcpy(to, from, words * sizeof(*to));
	}
}
