/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of runtime_api.def, and the slots that they have. */
#include "hooks/runtime_row.h"

#include <cuaudit/hook.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/layout.h"
#include "hooks/runtime_flags.h"
#include "util/io.h"

#define RUNTIME_LIBRARY "libcudart.so."

/* Texts and places are numbers, not addresses: the loader has nothing to write where the domain is off. */
#define SEP
#define P(direction, type, name, offset, size) char name_##name[sizeof(#name)], type_##name[sizeof(#type)];
static const struct texts {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	struct { \
		char symbol_[sizeof(#symbol)]; \
		params \
	} row_##id;
#include <cuaudit/runtime_api.def>
#undef RUNTIME
#undef P
#define P(direction, type, name, offset, size) .name_##name = #name, .type_##name = #type,
} texts = {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	.row_##id = { .symbol_ = #symbol, params },
#include <cuaudit/runtime_api.def>
#undef RUNTIME
};
#undef P
#undef SEP

#define VAL CUAUDIT_VALUE
#define IN CUAUDIT_IN
#define PTR CUAUDIT_ADDRESS
#define SEP ,
#define P(direction, type, name, offset, size) { offset, size, direction }
const struct runtime_places {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	struct runtime_place row_##id[nparams];
#include <cuaudit/runtime_api.def>
#undef RUNTIME
} runtime_places = {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	.row_##id = { params },
#include <cuaudit/runtime_api.def>
#undef RUNTIME
};
#undef P
#undef SEP

enum { STATUS = true, OTHER = false };

const struct runtime_row runtime_rows[] = {
#define RUNTIME(id, symbol, number, since, result, count, params) \
	[id] = { \
		.text = offsetof(struct texts, row_##id), \
		.places = offsetof(struct runtime_places, row_##id) / sizeof(struct runtime_place), \
		.callback = number, .nparams = count, .answers = result, .version = since, \
	},
#include <cuaudit/runtime_api.def>
#undef RUNTIME
};

enum { ROWS = sizeof(runtime_rows) / sizeof(runtime_rows[0]) };

struct runtime_slots runtime_slots;

static struct layout layouts[ROWS];		/* filled as they are asked for, by LOCK_SETUP */
static uint8_t codes[sizeof(runtime_places) / sizeof(struct runtime_place)];
static uint16_t bound[LINK_SLOTS];		/* of functions of shared runtimes: number of the row + 1 */
static bool reported[LINK_SLOTS];		/* these are left to the runtime's reports */

/* The version that a library of that name began with: libcudart.so.12, libcudart.so.11.0. */
static uint32_t first_version(const char *library)
{
	return (uint32_t)io_number(library + strlen(RUNTIME_LIBRARY)) * 1000;
}

/* Whether a library has a function as row says, rather than as other: it keeps what it began with. */
static bool is_rather(const struct runtime_row *row, const struct runtime_row *other, uint32_t first_of)
{
	bool was = row->version <= first_of, other_was = other->version <= first_of;

	if (was != other_was)
		return was;
	return was ? row->version > other->version : row->version < other->version;
}

static const struct runtime_row *find_row(const char *library, const char *symbol)
{
	const struct runtime_row *found = NULL;

	for (const struct runtime_row *row = runtime_rows; row < runtime_rows + ROWS; row++)
		if (!strcmp(runtime_row_name(row), symbol) &&
		    (!found || is_rather(row, found, first_version(library))))
			found = row;
	return found;
}

static void make_layout(const struct runtime_row *row)
{
	enum { MOST = 16 };	/* bytes of what is passed in registers */
	const struct runtime_place *place = runtime_row_places(row);
	uint8_t *params = &codes[row->places];

	for (uint32_t i = 0; i < row->nparams; i++)
		params[i] = (uint8_t)((place[i].size > MOST ? LAYOUT_MEMORY : 0) | (place[i].size + 7) / 8);
	layouts[row - runtime_rows] = (struct layout){
		.name = runtime_row_name(row), .base = runtime_row_name(row), .params = params,
		.nparams = row->nparams,
	};
}

/*
 * cudaMemAdvise_v2 is reported as cudaMemAdvise, by a number of its own: of which row it is
 * the report says. *exact: the symbol is a row's.
 */
static const struct runtime_row *find_version(const char *library, const char *symbol, bool *exact)
{
	const struct runtime_row *row = find_row(library, symbol);
	const char *version = strstr(symbol, "_v"), *rest;
	char base[64];

	*exact = row;
	if (row || !version || version[2] < '0' || version[2] > '9')
		return row;
	rest = version + 2 + strspn(version + 2, "0123456789");
	snprintf(base, sizeof(base), "%.*s%s", (int)(version - symbol), symbol, rest);
	return find_row(library, base);
}

const struct runtime_row *runtime_row_bind(uint32_t slot, const char *name)
{
	const char *colon = strchr(name, ':');
	const struct runtime_row *row;
	bool exact;

	if (!runtime_slots.count || !colon || strncmp(name, RUNTIME_LIBRARY, strlen(RUNTIME_LIBRARY)) != 0)
		return NULL;
	row = find_version(name, colon + 1, &exact);
	if (!row)
		return NULL;
	make_layout(row);
	reported[slot] = !exact || !row->answers || layout_words(&layouts[row - runtime_rows]) > FRAME_NORDERED;
	bound[slot] = (uint16_t)(row - runtime_rows + 1);
	return row;
}

const struct runtime_row *runtime_row_bound(uint32_t slot)
{
	return bound[slot] ? &runtime_rows[bound[slot] - 1] : NULL;
}

const struct layout *runtime_row_layout(uint32_t slot)
{
	return bound[slot] && !reported[slot] ? &layouts[bound[slot] - 1] : NULL;
}

/* Under the lock of slots. Whether all of them fit. */
static bool take_slots(struct link_table *link)
{
	uint32_t slot = atomic_load_explicit(&link->nslots, memory_order_acquire);

	if (slot + ROWS > LINK_SLOTS)
		return false;
	runtime_slots.first = slot;
	for (uint32_t i = 0; i < ROWS; i++, slot++) {
		link->slots[slot].name = runtime_row_name(&runtime_rows[i]);
		link->slots[slot].driver = 0;
		runtime_slots.callbacks[runtime_rows[i].callback] = (uint16_t)(i + 1);
	}
	runtime_slots.count = ROWS;
	/* Pairs with registry_attach. */
	atomic_store_explicit(&link->nslots, slot, memory_order_release);
	return true;
}

void runtime_row_setup(void)
{
	uint64_t signals;
	bool fit;

	if (!domain_is_on(DOMAIN_RUNTIME))
		return;
	signals = cuaudit_core_link->lock_slots();
	fit = take_slots(cuaudit_core_link);
	cuaudit_core_link->unlock_slots(signals);
	if (!fit) {
		cuaudit_log(CUAUDIT_WARN, "calls of the runtime are not seen: no more functions fit");
		return;
	}
	/* Newer ones are reported too, so that it is said that they are not seen. */
	for (uint32_t i = runtime_rows[ROWS - 1].callback + 1; i < RUNTIME_FLAGS; i++)
		runtime_flags_want(i, true);
}

const struct runtime_row *runtime_row_of_slot(uint32_t slot)
{
	return slot - runtime_slots.first < runtime_slots.count ? &runtime_rows[slot - runtime_slots.first] : NULL;
}

const char *runtime_row_name(const struct runtime_row *row)
{
	return (const char *)&texts + row->text;
}

void runtime_row_param(const struct runtime_row *row, uint32_t index, struct cuaudit_param *param)
{
	const struct runtime_place *place = runtime_row_places(row);
	const char *text = runtime_row_name(row);

	*param = (struct cuaudit_param){ .direction = (enum cuaudit_direction)place[index].direction };
	for (uint32_t i = 0; i <= index; i++) {
		param->word += param->words;
		param->words = (place[i].size + 7u) / 8;
		param->name = text += strlen(text) + 1;
		param->type = text += strlen(text) + 1;
	}
}
