/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of driver_api.def, and where their parameters lie in a call. */
#ifndef HOOKS_LAYOUT_H
#define HOOKS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/frame.h"

/* How a parameter is passed: in n integer words, in n vector registers, or as n words in memory. */
enum {
	LAYOUT_FLOAT = 0x40,
	LAYOUT_MEMORY = 0x80,
	LAYOUT_WORDS = 0x3f,
	/* Of functions that have no row. With LAYOUT_FLOAT: on the stack two are one word. */
	LAYOUT_HALVES = 0x20,
	LAYOUT_VECTORS = 0x1f,
	LAYOUT_BOTH = LAYOUT_FLOAT | LAYOUT_MEMORY	/* one integer register, and one vector register */
};

struct layout {
	const char *name;
	const char *base;
	const uint8_t *params;	/* one LAYOUT_* each */
	uint32_t version;
	uint32_t classes;
	uint32_t nparams;
};

extern const uint32_t layout_count;

/* Context: setup, once, before layout_find. */
void layout_setup(void);

/* The row of an id below layout_count. */
const struct layout *layout_row(uint32_t id);

/* Context: setup. The id of a symbol, or -1. */
int layout_find(const char *symbol);

/* Whether the parameters of both are passed alike. */
bool layout_same(const struct layout *a, const struct layout *b);

/* Words the caller leaves on its stack. */
uint32_t layout_stack_words(const struct layout *row);

/*
 * The first word of each parameter in the frame of a function of which all are kept: registers,
 * FRAME_NSTACK_ARGS of the stack, then vector registers, two each. How many are wholly among them.
 */
uint32_t layout_places(const struct layout *row, uint8_t *words);

/* Whether integer registers and stack, in this order, are the parameters in order. */
static inline bool layout_regular(const struct layout *row)
{
	for (uint32_t i = 0; i < row->nparams; i++)
		if (row->params[i] != 1)
			return false;
	return true;
}

/*
 * Context: call. For irregular rows: parameters in order from the registers
 * and the stack of a frame into frame->ordered, or back again.
 */
void layout_gather(struct frame *frame, const struct layout *row);
void layout_scatter(struct frame *frame, const struct layout *row);

/* Words frame->ordered takes for the row. */
static inline uint32_t layout_words(const struct layout *row)
{
	uint32_t words = 0;

	for (uint32_t i = 0; i < row->nparams; i++)
		words += row->params[i] & LAYOUT_WORDS;
	return words;
}

#endif
