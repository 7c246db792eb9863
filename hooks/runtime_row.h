/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of runtime_api.def, and the slots that they have. */
#ifndef HOOKS_RUNTIME_ROW_H
#define HOOKS_RUNTIME_ROW_H

#include <cuaudit/params.h>
#include <stdbool.h>
#include <stdint.h>

#include "hooks/runtime_flags.h"

/* A parameter in the structure that the runtime reports. */
struct runtime_place {
	uint8_t offset, size, direction;
};

struct runtime_row {
	uint32_t text;		/* of the symbol; then, of each parameter, the name and the type */
	uint16_t places;	/* the first one's number */
	uint16_t callback;
	uint16_t version;
	uint8_t nparams;
	bool answers;		/* its result is a cudaError_t */
};

extern const struct runtime_row runtime_rows[];

/* Slots of rows, and the number of the row + 1 by callback. */
extern struct runtime_slots {
	uint32_t first, count;
	uint16_t callbacks[RUNTIME_FLAGS];
} runtime_slots;

/* Context: setup, once, under the loader's lock. Where the domain is on, each row has a slot from then on. */
void runtime_row_setup(void);

/* The row of a slot, or of a callback; NULL: none. Context: call. */
const struct runtime_row *runtime_row_of_slot(uint32_t slot);
static inline const struct runtime_row *runtime_row_of_callback(uint64_t callback)
{
	uint32_t number = callback < RUNTIME_FLAGS ? runtime_slots.callbacks[callback] : 0;

	return number ? &runtime_rows[number - 1] : NULL;
}

/*
 * Context: setup. The row of a function of a shared runtime, LIBRARY:FUNCTION, from now on
 * that of its slot; NULL: none. One that is left to the runtime's reports has no layout: it answers
 * something else than a cudaError_t, or the report says of which row it is.
 */
const struct runtime_row *runtime_row_bind(uint32_t slot, const char *name);

/* Of such a slot: its row, and how its parameters are passed; NULL: it is none. Context: call. */
struct layout;
const struct runtime_row *runtime_row_bound(uint32_t slot);
const struct layout *runtime_row_layout(uint32_t slot);

/* The slot of one of these. */
static inline uint32_t runtime_row_slot(const struct runtime_row *row)
{
	return runtime_slots.first + (uint32_t)(row - runtime_rows);
}

const char *runtime_row_name(const struct runtime_row *row);

/* A runtime_place for each parameter of each row. */
extern const struct runtime_places runtime_places;

static inline const struct runtime_place *runtime_row_places(const struct runtime_row *row)
{
	return (const struct runtime_place *)&runtime_places + row->places;
}

/* Parameter index, below nparams. */
void runtime_row_param(const struct runtime_row *row, uint32_t index, struct cuaudit_param *param);

#endif
