/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the driver's functions. */
#include <cuaudit/api.h>
#include <cuaudit/params.h>
#include <stddef.h>
#include <string.h>

#include "print/numbers.h"

/* Directions, by the words of driver_api.def. */
enum {
	VAL = CUAUDIT_VALUE,
	IN = CUAUDIT_IN,
	OUT = CUAUDIT_OUT,
	INOUT = CUAUDIT_INOUT,
	ADDR = CUAUDIT_ADDRESS
};

/* Name and type of each parameter, one after the other. */
#define SEP
#define P(direction, type, name) #name "\0" #type "\0"
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	char of_##symbol[sizeof("" params)];
static const struct texts {
#include <cuaudit/driver_api.def>
#undef CUAPI
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) "" params,
} texts = {
#include <cuaudit/driver_api.def>
};
#undef CUAPI
#undef P
#undef SEP

struct passed {
	uint8_t direction, words;
};

#define SEP ,
#define P(direction, type, name) { direction, (sizeof(type) + 7) / 8 }
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	struct passed of_##symbol[nparams];
static const struct passing {
#include <cuaudit/driver_api.def>
#undef CUAPI
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) { params },
} passing = {
#include <cuaudit/driver_api.def>
};
#undef CUAPI
#undef P

#define S(how, value, length) { PRINT_##how, length, value }
#define PARAMS(symbol, nparams, params) struct print_shape of_##symbol[nparams];
static const struct shapes {
#include <cuaudit/driver_params.def>
#define PARAMS(symbol, nparams, params) { params },
} shapes = {
#include <cuaudit/driver_params.def>
};
#undef S
#undef SEP

#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	[id] = { offsetof(struct texts, of_##symbol), offsetof(struct passing, of_##symbol), \
		 offsetof(struct shapes, of_##symbol), nparams },
static const struct {
	uint32_t text;
	uint16_t passing, shapes;
	uint8_t nparams;
} rows[] = {
#include <cuaudit/driver_api.def>
};
#undef CUAPI
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	_Static_assert(nparams <= PRINT_PARAMS, "PRINT_PARAMS is too small for " #symbol);
#include <cuaudit/driver_api.def>
#undef CUAPI
_Static_assert(sizeof(shapes) < 65536 && sizeof(passing) < 65536, "rows");

/* kernelParams or extra of a launch, of which the kernel alone knows more. */
static bool is_parameters(const struct print_param *param)
{
	return param->shape.how == PRINT_ADDRESS && !strcmp(param->type, "void **") &&
	       (!strcmp(param->name, "kernelParams") || !strcmp(param->name, "extra"));
}

/* What the registers hold: nobody knows how many there are, nor what they are. */
static uint32_t raw_params(struct print_param params[PRINT_PARAMS])
{
	static const char names[][6] = { "word0", "word1", "word2", "word3", "word4", "word5" };
	enum { COUNT = sizeof(names) / sizeof(names[0]) };

	for (uint8_t i = 0; i < COUNT; i++)
		params[i] = (struct print_param){
			.name = names[i], .type = "uint64_t", .direction = CUAUDIT_IN, .words = 1, .word = i,
			.shape = { .how = PRINT_VALUE, .value = { .kind = PRINT_HEX, .size = sizeof(uint64_t) } },
		};
	return COUNT;
}

uint32_t print_params(int32_t id, struct print_param params[PRINT_PARAMS])
{
	const struct print_shape *shape;
	const struct passed *passed;
	const char *text;
	uint8_t word = 0;

	if (id == CUAUDIT_ID_TABLES)
		return raw_params(params);
	if (id < 0 || (size_t)id >= sizeof(rows) / sizeof(rows[0]))
		return 0;
	shape = (const struct print_shape *)((const char *)&shapes + rows[id].shapes);
	passed = (const struct passed *)((const char *)&passing + rows[id].passing);
	text = (const char *)&texts + rows[id].text;
	for (uint32_t i = 0; i < rows[id].nparams; i++) {
		const char *type = text + strlen(text) + 1;

		params[i] = (struct print_param){
			.name = text,
			.type = type,
			.direction = passed[i].direction,
			.words = passed[i].words,
			.word = word,
			.shape = shape[i],
		};
		if (is_parameters(&params[i]))
			params[i].shape.how = PRINT_PARAMETERS;
		word += passed[i].words;
		text = type + strlen(type) + 1;
	}
	return rows[id].nparams;
}
