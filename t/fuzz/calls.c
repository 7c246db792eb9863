/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for what modules ask about functions and calls; no call is made. */
#include <errno.h>
#include <string.h>

#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/layout.h"
#include "t/fuzz/fuzz.h"

int cuaudit_row_get(uint32_t id, struct cuaudit_function *function)
{
	if (id >= layout_count)
		return -ENOENT;
	*function = (struct cuaudit_function){
		.name = layout_row(id)->name, .base = layout_row(id)->base, .id = (int32_t)id,
		.classes = layout_row(id)->classes,
	};
	return 0;
}

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index,
		      struct cuaudit_param *param)
{
	fuzz_check(function->id >= 0);
	*param = (struct cuaudit_param){ .name = "bytesize", .type = "size_t" };
	return index ? -ENOENT : 0;
}

const char *cuaudit_result_name(int32_t result)
{
	return result == 2 ? "CUDA_ERROR_UNKNOWN" : NULL;
}

size_t cuaudit_call_print(const struct cuaudit_call *call, unsigned int flags, char *buffer,
			  size_t size)
{
	fuzz_check(!call && !flags && !buffer && !size);
	return 0;
}

const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call)
{
	fuzz_check(!call);
	return NULL;
}

int cuaudit_thread_key(size_t size, const struct cuaudit_module *owner)
{
	fuzz_check(size && owner);
	return chance(16) ? 0 : -ENOSPC;
}

void *cuaudit_thread_block(uint32_t key)
{
	fuzz_check(key == UINT32_MAX);
	return NULL;
}
