/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded argument as one value of a simple type. */
#include "export/typed.h"

#include <stdlib.h>
#include <string.h>

#include "print/prototypes.h"
#include "print/value.h"
#include "util/text.h"
#include "util/utf8.h"

struct typed_function *typed_functions(const struct trace *trace)
{
	struct typed_function *functions = calloc(trace->nfunctions + 1, sizeof(*functions));

	for (size_t i = 0; functions && i < trace->nfunctions; i++) {
		struct typed_params *params = &functions[i].params;

		memcpy(params->params, trace->functions[i].params, sizeof(trace->functions[i].params));
		if (trace->functions[i].nsteps)
			params->count = trace->functions[i].nparams;
		if (trace->functions[i].nsteps && trace->functions[i].has_others)
			params->params[params->count++] = prototypes_others;
		functions[i].launch = launch_plan(&trace->functions[i]);
	}
	return functions;
}

void typed_results(struct typed_function *functions, const struct trace *trace)
{
	for (size_t i = 0; functions && i < trace->nfunctions; i++) {
		struct typed_params *params = &functions[i].params;

		if (trace->functions[i].has_result && trace->functions[i].nsteps)
			params->params[params->count++] = trace->functions[i].result;
	}
}

static enum typed_kind kind_of(struct print_value value)
{
	switch (value.kind) {
	case PRINT_INT:
		return TYPED_INT;
	case PRINT_UINT:
		return TYPED_UINT;
	case PRINT_REAL:
		return TYPED_REAL;
	case PRINT_HEX:
	case PRINT_HANDLE:
		return TYPED_HEX;
	default:
		return TYPED_TEXT;
	}
}

enum typed_kind typed_kind(const struct print_param *param)
{
	switch (param->shape.how) {
	case PRINT_VALUE:
		return kind_of(param->shape.value);
	case PRINT_FIXED:
		return param->shape.length == 1 ? kind_of(param->shape.value) : TYPED_TEXT;
	case PRINT_ADDRESS:
	case PRINT_DATA:
		return TYPED_HEX;
	default:
		return TYPED_TEXT;
	}
}

static void number(struct typed *typed, struct print_value value, const void *bytes)
{
	float single;

	if (typed->kind != TYPED_REAL) {
		typed->bits = value_integer(value, bytes);
	} else if (value.size == sizeof(single)) {
		memcpy(&single, bytes, sizeof(single));
		typed->real = (double)single;
	} else {
		memcpy(&typed->real, bytes, sizeof(typed->real));
	}
}

static bool read_number(struct typed *typed, const struct trace_arguments *arguments,
			const struct print_param *param)
{
	const struct trace_piece *piece;

	typed->kind = typed_kind(param);
	if (typed->kind == TYPED_TEXT)
		return false;
	if (param->shape.how == PRINT_ADDRESS || param->shape.how == PRINT_DATA) {
		typed->bits = arguments->words[param->word];
		return true;
	}
	if (!(arguments->known >> param->word & 1))
		return false;
	if (param->shape.how == PRINT_VALUE) {
		number(typed, param->shape.value, &arguments->words[param->word]);
		return true;
	}
	piece = trace_arguments_behind(arguments, param->word);
	if (!piece || piece->size < param->shape.value.size)
		return false;
	number(typed, param->shape.value, piece->data);
	return true;
}

/* A string as it was, but in UTF-8 and without a NUL inside. */
static bool read_string(struct typed *typed, const struct trace_arguments *arguments,
			const struct print_param *param, char *scratch)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, param->word);
	size_t most = (TYPED_SCRATCH - 4) / UTF8_GROWTH, size;

	if (param->shape.how != PRINT_STRING || !piece || !piece->text)
		return false;
	most = piece->size < most ? piece->size : most;
	size = utf8_copy(scratch, (const char *)piece->data, strnlen((const char *)piece->data, most));
	if (piece->cut || most < piece->size) {
		memcpy(scratch + size, "...", 3);
		size += 3;
	}
	scratch[size] = '\0';
	typed->size = size;
	return true;
}

/* An enumerator behind a pointer, without the brackets of a list. */
static bool read_enumerator(struct buffer *out, const struct trace_arguments *arguments,
			    const struct print_param *param)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, param->word);
	struct printer printer = { .out = out, .source = &arguments->source };

	if (param->shape.how != PRINT_FIXED || param->shape.length != 1 ||
	    param->shape.value.kind != PRINT_ENUM || !piece ||
	    piece->size < param->shape.value.size)
		return false;
	value_print(&printer, param->shape.value, piece->data);
	return true;
}

bool typed_read(struct typed *typed, const struct trace_arguments *arguments,
		const struct typed_params *params, uint32_t index, char scratch[TYPED_SCRATCH])
{
	struct buffer out = { scratch, TYPED_SCRATCH, 0 };
	struct print_call call = trace_arguments_call(arguments);

	if (params->params[index].words && arguments->unknown >> params->params[index].word & 1)
		return false;
	if (read_number(typed, arguments, &params->params[index]))
		return true;
	typed->kind = TYPED_TEXT;
	typed->text = scratch;
	if (read_string(typed, arguments, &params->params[index], scratch))
		return true;
	if (!read_enumerator(&out, arguments, &params->params[index]))
		print_parameter(&out, &call, params->params, index);
	typed->size = buffer_end(&out);
	if (typed->size >= TYPED_SCRATCH)
		typed->size = text_cut(scratch, TYPED_SCRATCH);
	return true;
}
