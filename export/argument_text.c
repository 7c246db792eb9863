/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls were given, parameter by parameter. */
#include "export/argument_text.h"

#include <string.h>

#include "print/value.h"
#include "util/text.h"

void arguments_value(char *text, size_t size, const struct trace_arguments *arguments,
		     const struct print_param *params, uint32_t index)
{
	struct buffer out = { text, size, 0 };
	const struct print_call call = trace_arguments_call(arguments);

	print_parameter(&out, &call, params, index);
	if (buffer_end(&out) >= size)
		text_cut(text, size);
}

const char *arguments_result(char text[ARGUMENTS_RESULT], const struct trace *trace,
			     const struct trace_call *call)
{
	struct buffer out = { text, ARGUMENTS_RESULT, 0 };

	trace_call_result(&out, trace, call);
	if (buffer_end(&out) >= ARGUMENTS_RESULT)
		text_cut(text, ARGUMENTS_RESULT);
	return text;
}

static bool integral(struct print_value value)
{
	return value.kind != PRINT_REAL && value.kind != PRINT_STRUCT && value.kind != PRINT_TEXT &&
	       value.size <= sizeof(uint64_t);
}

bool arguments_number(const struct trace_arguments *arguments, const struct print_param *param,
		      uint64_t *number)
{
	const struct trace_piece *piece;

	if (!integral(param->shape.value) || param->shape.value.kind == PRINT_UNKNOWN)
		return false;
	if (param->shape.how == PRINT_VALUE) {
		*number = value_integer(param->shape.value, &arguments->words[param->word]);
		return arguments->known >> param->word & 1;
	}
	piece = trace_arguments_behind(arguments, param->word);
	if (param->shape.how != PRINT_FIXED || !piece || piece->size != param->shape.value.size)
		return false;
	*number = value_integer(param->shape.value, piece->data);
	return true;
}
