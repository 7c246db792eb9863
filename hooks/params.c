/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of calls, for hooks. */
#include <cuaudit/params.h>

#include <cuaudit/api.h>

#include <errno.h>
#include <string.h>

#include "hooks/kernel.h"
#include "hooks/runtime_row.h"
#include "hooks/safe_read.h"
#include "hooks/provider_types.h"
#include "print/number.h"
#include "print/numbers.h"
#include "print/print.h"
#include "print/table.h"

static bool read_here(const struct print_source *source, uint64_t address, void *to, size_t size)
{
	(void)source;
	return safe_read(address, to, size);
}

static const char *name_here(const struct print_source *source, uint32_t kind, uint64_t handle)
{
	(void)source;
	return kind == KIND_function || kind == KIND_kernel ? kernel_of(handle).name : NULL;
}

static struct numbers numbers;
static const struct print_source here = {
	.read = read_here, .name = name_here, .name_most = PRINT_NAME, .numbers = &numbers
};

static struct print_call described(const struct cuaudit_call *call, unsigned int flags)
{
	return (struct print_call){
		.name = call->function->name,
		.words = call->words,
		.source = &here,
		.id = call->flags & CUAUDIT_CALL_UNKNOWN ? -1 : call->function->id,
		.result = call->result,
		.flags = flags,
	};
}

/* NULL: it is none of the runtime's. */
static const struct runtime_row *row_of(const struct cuaudit_function *function)
{
	if (function->id != CUAUDIT_ID_RUNTIME)
		return NULL;
	return runtime_row_of_slot(function->slot) ?: runtime_row_bound(function->slot);
}

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index,
		      struct cuaudit_param *param)
{
	const struct runtime_row *row = row_of(function);
	bool typed = provider_types_of(function);
	struct print_param params[PRINT_PARAMS], one;
	uint8_t words[PRINT_TYPED];

	if (row && index < row->nparams) {
		runtime_row_param(row, index, param);
		return 0;
	}
	if (index >= (typed ? provider_types_words(function, words) : print_params(function->id, params)))
		return -ENOENT;
	one = typed ? provider_types_param(function, index, words[index]) : params[index];
	param->name = one.name;
	param->type = one.type;
	param->direction = (enum cuaudit_direction)one.direction;
	param->word = one.word;
	param->words = one.words;
	return 0;
}

/* The words of the parameters of a function of a file of types, and who prints them. */
static uint32_t prepare_typed(struct print_call *print, struct print_source *source,
			      const struct cuaudit_call *call, uint8_t words[PRINT_TYPED])
{
	*source = here;
	source->types = provider_types_of(call->function);
	print->source = source;
	/* Behind what it reads is what it was, whatever the function answered. */
	print->flags &= ~(unsigned int)CUAUDIT_PRINT_AFTER;
	return provider_types_words(call->function, words);
}

/* A hook that answers knows of no vector register. */
static void print_answer(struct buffer *out, struct print_call *print, const struct cuaudit_call *call)
{
	struct print_param result;
	uint64_t answer;

	if (!provider_types_result(call->function, &result)) {
		print_typed_result(out, print, NULL);
		return;
	}
	answer = call->words[result.word];
	if (result.shape.value.kind != PRINT_REAL)
		memcpy(&answer, &call->result, sizeof(call->result));
	print->unknown = result.shape.value.kind == PRINT_REAL && call->flags & CUAUDIT_CALL_SKIPPED;
	print->words = &answer;
	result.word = 0;
	print_typed_result(out, print, &result);
}

static void print_typed_call(struct buffer *out, struct print_call *print,
			     const struct cuaudit_call *call, unsigned int flags)
{
	struct print_source source;
	uint8_t words[PRINT_TYPED];
	uint32_t count = prepare_typed(print, &source, call, words);

	print_typed(out, print, words, count);
	if (!(flags & CUAUDIT_PRINT_AFTER))
		return;
	buffer_text(out, " = ");
	print_answer(out, print, call);
}

size_t cuaudit_param_print(const struct cuaudit_call *call, uint32_t index, unsigned int flags,
			   char *buffer, size_t size)
{
	struct print_call this = described(call, flags);
	struct buffer out = { buffer, size, 0 };
	struct print_param param;
	struct print_source source;
	uint8_t words[PRINT_TYPED];
	bool typed = provider_types_of(call->function);
	bool found = typed ? index < prepare_typed(&this, &source, call, words) :
			     print_argument(&out, &this, index);
	size_t length;

	if (typed && found) {
		param = provider_types_param(call->function, index, words[index]);
		print_parameter(&out, &this, &param, 0);
	}
	length = buffer_end(&out);
	return found ? length : SIZE_MAX;
}

static bool is_number(const char *type)
{
	return !strchr(type, '*') && (strstr(type, "int") || strstr(type, "long") ||
				      strstr(type, "size_t") || strstr(type, "enum "));
}

/* What the runtime reports: numbers, and addresses and structures as their words. */
static void print_runtime(struct buffer *out, const struct cuaudit_call *call)
{
	struct cuaudit_param param;

	for (uint32_t i = 0; !cuaudit_param_get(call->function, i, &param); i++) {
		const uint64_t *words = call->words + param.word;

		buffer_text(out, i ? ", " : "");
		buffer_text(out, param.name);
		buffer_text(out, " = ");
		if (param.words == 1 && is_number(param.type)) {
			buffer_unsigned(out, words[0]);
			continue;
		}
		for (uint32_t k = 0; k < param.words && param.word + k < call->nwords; k++) {
			buffer_text(out, k ? ":" : "");
			buffer_hex(out, words[k]);
		}
	}
}

enum { RAW_WORDS = 6 };	/* as trace records them */

static void print_raw(struct buffer *out, const struct cuaudit_call *call, unsigned int flags)
{
	buffer_name(out, call->function->name);
	buffer_char(out, '(');
	for (uint32_t i = 0; i < RAW_WORDS && i < call->nwords; i++) {
		buffer_text(out, i ? ", " : "");
		buffer_hex(out, call->words[i]);
	}
	buffer_text(out, ", ...)");
	if (flags & CUAUDIT_PRINT_AFTER) {
		buffer_text(out, " = ");
		buffer_hex(out, (uint32_t)call->result);
	}
}

static void print_observed(struct buffer *out, const struct cuaudit_call *call, unsigned int flags)
{
	buffer_name(out, call->function->name);
	buffer_char(out, '(');
	print_runtime(out, call);
	buffer_char(out, ')');
	if (flags & CUAUDIT_PRINT_AFTER) {
		buffer_text(out, " = ");
		print_result_name(out, call->function->name, call->result);
	}
}

size_t cuaudit_call_print(const struct cuaudit_call *call, unsigned int flags, char *buffer,
			  size_t size)
{
	struct print_call this = described(call, flags);
	struct buffer out = { buffer, size, 0 };

	if (provider_types_of(call->function))
		print_typed_call(&out, &this, call, flags);
	else if (call->flags & CUAUDIT_CALL_NO_STATUS)
		print_raw(&out, call, flags);
	else if (call->function->id == CUAUDIT_ID_RUNTIME)
		print_observed(&out, call, flags);
	else
		print_call(&out, &this);
	return buffer_end(&out);
}

const char *cuaudit_result_name(int32_t result)
{
	return print_enumerator(print_result.detail, (uint32_t)result);
}
