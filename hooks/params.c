/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of calls, for hooks. */
#include <cuaudit/params.h>

#include <errno.h>

#include "hooks/kernel.h"
#include "hooks/runtime_row.h"
#include "hooks/safe_read.h"
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

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index,
		      struct cuaudit_param *param)
{
	const struct runtime_row *row = runtime_row_of_slot(function->slot);
	struct print_param params[PRINT_PARAMS];

	if (row && index < row->nparams) {
		runtime_row_param(row, index, param);
		return 0;
	}
	if (index >= print_params(function->id, params))
		return -ENOENT;
	param->name = params[index].name;
	param->type = params[index].type;
	param->direction = (enum cuaudit_direction)params[index].direction;
	param->word = params[index].word;
	param->words = params[index].words;
	return 0;
}

size_t cuaudit_param_print(const struct cuaudit_call *call, uint32_t index, unsigned int flags,
			   char *buffer, size_t size)
{
	struct print_call this = described(call, flags);
	struct buffer out = { buffer, size, 0 };
	bool found = print_argument(&out, &this, index);
	size_t length = buffer_end(&out);

	return found ? length : SIZE_MAX;
}

size_t cuaudit_call_print(const struct cuaudit_call *call, unsigned int flags, char *buffer,
			  size_t size)
{
	struct print_call this = described(call, flags);
	struct buffer out = { buffer, size, 0 };

	print_call(&out, &this);
	return buffer_end(&out);
}

const char *cuaudit_result_name(int32_t result)
{
	return print_enumerator(print_result.detail, (uint32_t)result);
}
