/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a call has a handle of, by what the tables say of its parameters. */
#include <stdatomic.h>
#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/kernel.h"
#include "hooks/layout.h"
#include "hooks/safe_read.h"
#include "print/numbers.h"
#include "print/value.h"

/* Where it is, by row: nothing looked up yet, nowhere, in the word above these, or behind it. */
enum where { UNKNOWN, NOWHERE, WORD, BEHIND, WHERE_BITS = 2 };

enum { ROWS = 2048 };

static _Atomic uint8_t wheres[ROWS];

static bool is_kernel(const struct print_value *value)
{
	return value->kind == PRINT_HANDLE &&
	       (value->detail == KIND_function || value->detail == KIND_kernel);
}

/* A structure, or an array of them, that the driver reads and that may have a kernel in it. */
static bool may_hold(const struct print_param *param)
{
	bool read = param->direction == CUAUDIT_IN || param->direction == CUAUDIT_INOUT;
	struct print_struct members;

	if (!read || param->shape.value.kind != PRINT_STRUCT ||
	    (param->shape.how != PRINT_FIXED && param->shape.how != PRINT_ARRAY))
		return false;
	members = print_struct_get(param->shape.value.detail);
	for (uint32_t i = 0; i < members.count; i++)
		if (is_kernel(&members.members[i].value) && !members.members[i].length_size)
			return true;
	return false;
}

static uint8_t look(uint32_t id)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params((int32_t)id, params);

	for (uint32_t i = 0; i < count; i++)
		if (params[i].shape.how == PRINT_VALUE && is_kernel(&params[i].shape.value))
			return (uint8_t)(WORD | params[i].word << WHERE_BITS);
	for (uint32_t i = 0; i < count; i++)
		if (may_hold(&params[i]))
			return (uint8_t)(BEHIND | i << WHERE_BITS);
	return NOWHERE;
}

/* In the structure, the first of them in an array, to which a parameter leads. */
static uint64_t behind(const struct cuaudit_call *call, uint32_t index)
{
	char bytes[PRINT_ELEMENT] __attribute__((aligned(8)));
	struct print_param params[PRINT_PARAMS];
	const struct print_param *param = &params[index];
	const struct print_member *member, *end;
	struct print_struct members;
	uint64_t address, handle = 0;

	print_params(call->function->id, params);
	address = call->words[param->word];
	if (!address || param->shape.value.size > sizeof(bytes) ||
	    !safe_read(address, bytes, param->shape.value.size))
		return 0;
	members = print_struct_get(param->shape.value.detail);
	end = members.members + members.count;
	for (member = members.members; !handle && member < end; member++)
		if (is_kernel(&member->value) && !member->length_size && value_holds(member, bytes))
			memcpy(&handle, bytes + member->at, sizeof(handle));
	return handle;
}

const char *cuaudit_call_kernel(const struct cuaudit_call *call)
{
	uint32_t id = (uint32_t)call->function->id;
	uint64_t handle = 0;
	uint8_t where;

	if (!kernel_is_prepared() || call->flags & CUAUDIT_CALL_UNKNOWN || id >= layout_count ||
	    id >= ROWS)
		return NULL;
	where = atomic_load_explicit(&wheres[id], memory_order_relaxed);
	if (where == UNKNOWN) {
		where = look(id);
		atomic_store_explicit(&wheres[id], where, memory_order_relaxed);
	}
	switch (where & ((1 << WHERE_BITS) - 1)) {
	case WORD:
		handle = call->words[where >> WHERE_BITS];
		break;
	case BEHIND:
		handle = behind(call, where >> WHERE_BITS);
		break;
	}
	return kernel_of(handle).name;
}
