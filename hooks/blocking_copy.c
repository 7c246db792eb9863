/* SPDX-License-Identifier: Apache-2.0 */
/* Between which kinds of memory a call copies. */
#include "hooks/blocking_copy.h"

#include <string.h>

#include <cuaudit/cuda_types.h>

#include "hooks/blocking_driver.h"
#include "hooks/safe_read.h"
#include "print/value.h"

enum { MOST = 4096, PART = 32 };

bool blocking_member(struct print_struct members, const char *bytes, const char *name,
		     uint64_t *value)
{
	for (uint32_t i = 0; i < members.count; i++) {
		const struct print_member *member = &members.members[i];

		if (strcmp(print_member_name(member), name) || member->bytes > sizeof(*value))
			continue;
		*value = 0;
		memcpy(value, bytes + member->at, member->bytes);
		return true;
	}
	return false;
}

static bool is_zero(struct print_struct members, const char *bytes, const char *name)
{
	uint64_t value;

	return blocking_member(members, bytes, name, &value) && !value;
}

static struct blocking_side side(struct print_struct members, const char *bytes, const char *type,
				 const char *host, const char *device)
{
	static const enum blocking_side_kind kinds[] = {
		[CU_MEMORYTYPE_HOST] = BLOCKING_HOST,
		[CU_MEMORYTYPE_DEVICE] = BLOCKING_OF_DEVICE,
		[CU_MEMORYTYPE_UNIFIED] = BLOCKING_ANY
	};
	struct blocking_side side = { BLOCKING_NONE, 0 };
	uint64_t number = 0;

	if (blocking_member(members, bytes, type, &number) &&
	    number < sizeof(kinds) / sizeof(kinds[0]))
		side.kind = kinds[number];
	blocking_member(members, bytes, side.kind == BLOCKING_HOST ? host : device, &side.address);
	return side;
}

struct blocking_copy blocking_described(struct print_struct members, const char *bytes)
{
	return (struct blocking_copy){
		.to = side(members, bytes, "dstMemoryType", "dstHost", "dstDevice"),
		.from = side(members, bytes, "srcMemoryType", "srcHost", "srcDevice"),
		.empty = is_zero(members, bytes, "WidthInBytes") ||
			 is_zero(members, bytes, "Height") || is_zero(members, bytes, "Depth"),
	};
}

static bool is_host(const struct blocking_side *side)
{
	return side->kind == BLOCKING_HOST ||
	       (side->kind == BLOCKING_ANY &&
		blocking_memory_at(side->address) != BLOCKING_DEVICE);
}

bool blocking_copy_host(const struct blocking_copy *copy)
{
	return !copy->empty && (is_host(&copy->to) || is_host(&copy->from));
}

bool blocking_copy_pageable(const struct blocking_copy *copy)
{
	/* What is the device's is asked about last, as it need not be asked about. */
	bool turned = copy->to.kind <= BLOCKING_OF_DEVICE && copy->to.kind != BLOCKING_HOST;
	const struct blocking_side *first = turned ? &copy->from : &copy->to;
	const struct blocking_side *second = turned ? &copy->to : &copy->from;
	enum blocking_memory one, other;

	if (copy->empty || first->kind == BLOCKING_NONE || first->kind == BLOCKING_OF_DEVICE)
		return false;
	one = blocking_memory_at(first->address);
	if (one == BLOCKING_PAGEABLE)
		return !(copy->small && turned && second->kind == BLOCKING_OF_DEVICE);
	if (second->kind == BLOCKING_NONE ||
	    (second->kind == BLOCKING_OF_DEVICE && one != BLOCKING_PINNED))
		return false;
	other = blocking_memory_at(second->address);
	if (other == BLOCKING_PAGEABLE)
		return second->kind != BLOCKING_OF_DEVICE &&
		       !(copy->small && one == BLOCKING_DEVICE);
	return one == BLOCKING_PINNED && other == BLOCKING_PINNED;
}

bool blocking_batch(uint64_t to, uint64_t from, uint64_t sizes, uint64_t count)
{
	uint64_t tos[PART], froms[PART], bytes[PART];

	for (uint64_t at = 0; at < count; at += PART) {
		uint64_t n = count - at < PART ? count - at : PART, offset = at * sizeof(*tos);

		if (at >= MOST)
			return true;
		if (!safe_read(to + offset, tos, n * sizeof(*tos)) ||
		    !safe_read(from + offset, froms, n * sizeof(*froms)) ||
		    !safe_read(sizes + offset, bytes, n * sizeof(*bytes)))
			return false;
		for (uint64_t i = 0; i < n; i++) {
			struct blocking_copy copy = {
				{ BLOCKING_ANY, tos[i] }, { BLOCKING_ANY, froms[i] }, !bytes[i], false
			};

			if (blocking_copy_pageable(&copy))
				return true;
		}
	}
	return false;
}

static struct blocking_side operand(const CUmemcpy3DOperand *operand)
{
	return operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER ?
	       (struct blocking_side){ BLOCKING_ANY, operand->op.ptr.ptr } :
	       (struct blocking_side){ BLOCKING_NONE, 0 };
}

bool blocking_batch_3d(uint64_t operations, uint64_t count)
{
	CUDA_MEMCPY3D_BATCH_OP it;

	for (uint64_t at = 0; at < count; at++) {
		struct blocking_copy copy = { .small = false };

		if (at >= MOST)
			return true;
		if (!safe_read(operations + at * sizeof(it), &it, sizeof(it)))
			return false;
		copy.to = operand(&it.dst);
		copy.from = operand(&it.src);
		copy.empty = !it.extent.width || !it.extent.height || !it.extent.depth;
		if (blocking_copy_pageable(&copy))
			return true;
	}
	return false;
}
