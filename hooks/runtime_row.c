/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of runtime_api.def, and the slots that they have. */
#include "hooks/runtime_row.h"

#include <cuaudit/hook.h>
#include <stddef.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/runtime_flags.h"

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
static const struct places {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	struct runtime_place row_##id[nparams];
#include <cuaudit/runtime_api.def>
#undef RUNTIME
} places = {
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	.row_##id = { params },
#include <cuaudit/runtime_api.def>
#undef RUNTIME
};
#undef P
#undef SEP

enum { STATUS = true, OTHER = false };

static const struct runtime_row rows[] = {
#define RUNTIME(id, symbol, number, version, result, count, params) \
	[id] = { \
		.text = offsetof(struct texts, row_##id), \
		.places = offsetof(struct places, row_##id) / sizeof(struct runtime_place), \
		.callback = number, .nparams = count, .answers = result, \
	},
#include <cuaudit/runtime_api.def>
#undef RUNTIME
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static uint32_t first, count;			/* slots */
static uint16_t callbacks[RUNTIME_FLAGS];	/* number of the row + 1 */

void runtime_row_setup(void)
{
	struct link_table *link = cuaudit_core_link;
	uint32_t slot = atomic_load_explicit(&link->nslots, memory_order_acquire);

	if (!domain_is_on(DOMAIN_RUNTIME))
		return;
	if (slot + ROWS > LINK_SLOTS) {
		cuaudit_log(CUAUDIT_WARN, "calls of the runtime are not seen: no more functions fit");
		return;
	}
	first = slot;
	for (uint32_t i = 0; i < ROWS; i++, slot++) {
		link->slots[slot].name = runtime_row_name(&rows[i]);
		link->slots[slot].driver = 0;
		callbacks[rows[i].callback] = (uint16_t)(i + 1);
	}
	count = ROWS;
	/* Newer ones are reported too, so that it is said that they are not seen. */
	for (uint32_t i = rows[ROWS - 1].callback + 1; i < RUNTIME_FLAGS; i++)
		runtime_flags_want(i, true);
	/* Pairs with registry_attach. */
	atomic_store_explicit(&link->nslots, slot, memory_order_release);
}

const struct runtime_row *runtime_row_of_slot(uint32_t slot)
{
	return slot - first < count ? &rows[slot - first] : NULL;
}

const struct runtime_row *runtime_row_of_callback(uint64_t callback)
{
	return callback < RUNTIME_FLAGS && callbacks[callback] ? &rows[callbacks[callback] - 1] : NULL;
}

uint32_t runtime_row_slot(const struct runtime_row *row)
{
	return first + (uint32_t)(row - rows);
}

const char *runtime_row_name(const struct runtime_row *row)
{
	return (const char *)&texts + row->text;
}

const struct runtime_place *runtime_row_places(const struct runtime_row *row)
{
	return (const struct runtime_place *)&places + row->places;
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
