/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of driver_api.def, and where their parameters lie in a call. */
#include "hooks/layout.h"

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The classes of both ABIs, as far as the API needs them: a float or double
 * alone goes in a vector register; a structure over 16 bytes in memory; what
 * is left in integer registers, for no structure has a floating-point member
 * alone and none is aligned to 16 bytes.
 */
#define REAL_CLASS 8 /* __builtin_classify_type of float and double */
#define CODE(type) \
	(__builtin_classify_type(*(type *)0) == REAL_CLASS ? LAYOUT_FLOAT | 1 : \
	 sizeof(type) > 16 ? LAYOUT_MEMORY | ((sizeof(type) + 7) / 8) : (sizeof(type) + 7) / 8)

#define SEP ,
#define P(direction, type, name) CODE(type)
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	static const uint8_t params_##symbol[] = { params };
#include <cuaudit/driver_api.def>
#undef CUAPI
#undef P
#undef SEP

/* The short names rows give their classes by. */
enum {
#define CLASS(name, text, summary) name = CUAUDIT_CLASS_##name,
#include <cuaudit/classes.def>
#undef CLASS
};

#define SEP
#define P(direction, type, name)
static const struct layout rows[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	[id] = { #symbol, #base, params_##symbol, version, classes, nparams },
#include <cuaudit/driver_api.def>
#undef CUAPI
};
#undef P
#undef SEP

enum { COUNT = sizeof(rows) / sizeof(rows[0]) };

const uint32_t layout_count = COUNT;

static uint16_t by_name[COUNT];

const struct layout *layout_row(uint32_t id)
{
	return &rows[id];
}

int cuaudit_row_get(uint32_t id, struct cuaudit_function *function)
{
	if (id >= COUNT)
		return -ENOENT;
	*function = (struct cuaudit_function){
		.name = rows[id].name,
		.base = rows[id].base,
		.id = (int32_t)id,
		.slot = UINT32_MAX,
		.version = rows[id].version,
		.classes = rows[id].classes,
		.nparams = rows[id].nparams,
	};
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(rows[*(const uint16_t *)a].name, rows[*(const uint16_t *)b].name);
}

static int compare_key(const void *key, const void *id)
{
	return strcmp(key, rows[*(const uint16_t *)id].name);
}

void layout_setup(void)
{
	for (uint16_t i = 0; i < COUNT; i++)
		by_name[i] = i;
	qsort(by_name, COUNT, sizeof(by_name[0]), compare);
}

int layout_find(const char *symbol)
{
	const uint16_t *found = bsearch(symbol, by_name, COUNT, sizeof(by_name[0]), compare_key);

	return found ? *found : -1;
}

bool layout_same(const struct layout *a, const struct layout *b)
{
	return a->nparams == b->nparams && !memcmp(a->params, b->params, a->nparams);
}
