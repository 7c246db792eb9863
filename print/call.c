/* SPDX-License-Identifier: Apache-2.0 */
/* A call as text: its function, its parameters, its result. */
#include "print/print.h"

#include <cuaudit/api.h>

#include "print/prototypes.h"
#include "print/value.h"

/* Whether what a parameter leads to is there: read by the driver, or written with success. */
static bool accepted(const struct print_call *call, uint8_t direction)
{
	if (call->flags & CUAUDIT_PRINT_AFTER && !call->result)
		return direction != CUAUDIT_ADDRESS;
	return direction == CUAUDIT_IN || direction == CUAUDIT_INOUT;
}

/* What a parameter that counts says; false if it is out of reach. */
static bool counted(const struct print_call *call, const struct print_param *param, uint64_t *count)
{
	const struct print_source *source = call->source;
	uint64_t bytes = call->words[param->word];

	if (call->unknown >> param->word & 1)
		return false;
	if (param->shape.how != PRINT_VALUE &&
	    (!accepted(call, param->direction) ||
	     !source->read(source, call->words[param->word], &bytes, param->shape.value.size)))
		return false;
	*count = value_integer(param->shape.value, &bytes);
	return param->shape.value.kind != PRINT_INT || (int64_t)*count >= 0;
}

static void argument(struct printer *printer, const struct print_call *call,
		     const struct print_param *params, uint32_t index)
{
	const struct print_param *param = &params[index];
	const uint64_t *word = &call->words[param->word];
	struct print_value value = param->shape.value;
	uint64_t count = param->shape.length;

	if (param->words && call->unknown >> param->word & 1) {
		buffer_char(printer->out, '?');
		return;
	}
	printer->follow = accepted(call, param->direction);
	switch (param->shape.how) {
	case PRINT_VALUE:
		printer->follow = false;
		value_print(printer, value, word);
		break;
	case PRINT_STRING:
		value_string(printer, *word);
		break;
	case PRINT_ARRAY:
		if (!counted(call, &params[param->shape.length], &count))
			printer->follow = false;
		value_list(printer, value, *word, count, true);
		break;
	case PRINT_FIXED:
		value_list(printer, value, *word, count, false);
		break;
	case PRINT_PARAMETERS:
		value_parameters(printer, *word);
		break;
	default:
		value_address(printer, *word);
	}
}

static struct printer printer_of(struct buffer *out, const struct print_call *call)
{
	return (struct printer){ .out = out, .source = call->source, .flags = call->flags };
}

void print_parameter(struct buffer *out, const struct print_call *call,
		     const struct print_param *params, uint32_t index)
{
	struct printer printer = printer_of(out, call);

	argument(&printer, call, params, index);
}

bool print_argument(struct buffer *out, const struct print_call *call, uint32_t index)
{
	struct print_param params[PRINT_PARAMS];

	if (index >= print_params(call->id, params))
		return false;
	print_parameter(out, call, params, index);
	return true;
}

/* Three parameters that are the dimensions of one thing: the length of its name. */
static size_t dimensions(const struct print_call *call, const struct print_param *first,
			 uint32_t left)
{
	for (uint32_t i = 0; i < 3; i++)
		if (i == left || first[i].shape.how != PRINT_VALUE ||
		    call->unknown >> first[i].word & 1 ||
		    first[i].shape.value.kind != PRINT_UINT)
			return 0;
	return value_dimensions(first[0].name, first[1].name, first[2].name);
}

void print_result_name(struct buffer *out, const char *function, int32_t result)
{
	struct printer printer = { .out = out };

	value_print(&printer, *print_result_of(function), &result);
}

const char *print_result_text(char text[PRINT_RESULT], const char *function, int32_t result)
{
	struct buffer out = { text, PRINT_RESULT, 0 };

	print_result_name(&out, function, result);
	buffer_end(&out);
	return text;
}

void print_call(struct buffer *out, const struct print_call *call)
{
	struct printer printer = printer_of(out, call);
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(call->id, params);

	buffer_name(out, call->name);
	buffer_char(out, '(');
	for (uint32_t i = 0; i < count; i++) {
		size_t name = dimensions(call, &params[i], count - i);

		if (i)
			buffer_text(out, ", ");
		if (name) {
			const uint64_t *words = call->words + params[i].word;

			buffer_bytes(out, params[i].name, name);
			buffer_text(out, " = ");
			value_dim3(&printer, (uint32_t)words[0], (uint32_t)words[1],
				   (uint32_t)words[2]);
			i += 2;
			continue;
		}
		buffer_text(out, params[i].name);
		buffer_text(out, " = ");
		argument(&printer, call, params, i);
	}
	if (call->id < 0)
		buffer_text(out, count ? ", ..." : "...");
	buffer_char(out, ')');
	if (call->flags & CUAUDIT_PRINT_AFTER) {
		buffer_text(out, " = ");
		if (call->id == CUAUDIT_ID_TABLES && !call->result)
			buffer_char(out, '?');
		else
			print_result_name(out, call->name, call->result);
	}
}

void print_typed(struct buffer *out, const struct print_call *call, const uint8_t *words, uint32_t count)
{
	const struct prototype *types = call->source->types;
	bool more = types->open || count < types->nparams;
	struct printer printer = printer_of(out, call);

	buffer_name(out, call->name);
	buffer_char(out, '(');
	for (uint32_t i = 0; i < count; i++) {
		struct print_param param = prototypes_param(types, i, words[i]);

		buffer_text(out, i ? ", " : "");
		buffer_text(out, param.name);
		buffer_text(out, " = ");
		argument(&printer, call, &param, 0);
	}
	if (more)
		buffer_text(out, count ? ", ..." : "...");
	buffer_char(out, ')');
}

void print_typed_result(struct buffer *out, const struct print_call *call,
			const struct print_param *result)
{
	if (result)
		print_parameter(out, call, result, 0);
	else
		buffer_text(out, call->source->types->params->kind == 'v' ? "returned" : "?");
}
