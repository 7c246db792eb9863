/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls copied: how many bytes, in which direction. */
#include "tracefile/copy.h"

#include <string.h>

const char *const copy_names[COPY_DIRECTIONS] = {
#define DIRECTION(NAME, number, text, label) [number] = text,
#include "tables/facts.def"
};

const char *const copy_labels[COPY_DIRECTIONS] = {
#define DIRECTION(NAME, number, text, label) [number] = label,
#include "tables/facts.def"
};

static const struct {
	const char *base;
	int kind;
} functions[] = {
#define COPIES(base, direction) { #base, COPY_##direction },
#include "tables/facts.def"
};

int copy_kind(const struct trace_function *function)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].base, function->base))
			return functions[i].kind;
	return COPY_NONE;
}

/* By the two CUmemorytype; of unified addresses nobody knows. */
static enum copy_direction direction_of(const struct trace_arguments *arguments)
{
	static const uint8_t directions[4][4] = {
		[1] = { 0, COPY_HTOH, COPY_HTOD, COPY_HTOA },
		[2] = { 0, COPY_DTOH, COPY_DTOD, COPY_DTOA },
		[3] = { 0, COPY_ATOH, COPY_ATOD, COPY_ATOA },
	};
	uint64_t from, to;

	if (!trace_arguments_named(arguments, "srcMemoryType", &from) ||
	    !trace_arguments_named(arguments, "dstMemoryType", &to) || from > 3 || to > 3)
		return COPY_UNKNOWN;
	return (enum copy_direction)directions[from][to];
}

/* Of a batch, if all sizes were recorded. */
static bool sum(const struct trace_arguments *arguments, uint64_t *bytes)
{
	const struct trace_function *function = arguments->function;

	for (uint32_t i = 0; i < function->nparams; i++) {
		const struct print_param *param = &function->params[i];
		const struct trace_piece *piece = trace_arguments_behind(arguments, param->word);

		if (strcmp(param->name, "sizes") || !piece || piece->cut ||
		    piece->element != sizeof(*bytes))
			continue;
		*bytes = 0;
		for (uint32_t at = 0; at + sizeof(*bytes) <= piece->size; at += sizeof(*bytes)) {
			uint64_t one;

			memcpy(&one, piece->data + at, sizeof(one));
			*bytes += one;
		}
		return true;
	}
	return false;
}

struct copy copy_read(int kind, const struct trace_arguments *arguments)
{
	struct copy copy = { .direction = COPY_UNKNOWN };
	uint64_t rows, layers;

	if (kind != COPY_TYPED)
		copy.direction = (enum copy_direction)kind;
	else if (arguments)
		copy.direction = direction_of(arguments);
	if (!arguments)
		return copy;
	copy.sized = trace_arguments_named(arguments, "ByteCount", &copy.bytes) ||
		     sum(arguments, &copy.bytes);
	if (copy.sized || !trace_arguments_named(arguments, "WidthInBytes", &copy.bytes))
		return copy;
	copy.sized = true;
	if (trace_arguments_named(arguments, "Height", &rows))
		copy.bytes *= rows;
	if (trace_arguments_named(arguments, "Depth", &layers))
		copy.bytes *= layers;
	return copy;
}
