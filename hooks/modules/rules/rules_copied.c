/* SPDX-License-Identifier: Apache-2.0 */
/* How much a call copies, and in which direction. */
#include "hooks/modules/rules/rules_copied.h"

#include <string.h>

#include <cuaudit/cuda_types.h>
#include <cuaudit/params.h>

#include "hooks/modules/rules/rules_driver.h"

enum {
#define DIRECTION(name, number, text, label) name = (number),
#include "tables/facts.def"
	TYPED = -3
};

enum { HOST = 1, DEVICE, ARRAY, UNIFIED };	/* CUmemorytype */

const char rules_copies[] =
#define COPIES(base, direction) #base ","
#include "tables/facts.def"
	"";

const char *const rules_directions[] = {
#define DIRECTION(name, number, text, label) text,
#include "tables/facts.def"
	"any", NULL
};

static const struct {
	const char *base;
	int direction;
} copies[] = {
#define COPIES(base, direction) { #base, direction },
#include "tables/facts.def"
};

/* A copy of a structure, of whatever version. */
struct copy {
	uint64_t bytes;
	uint64_t addresses[2];	/* source, destination; of UNIFIED */
	uint32_t types[2];
};

int16_t rules_direction(const char *word)
{
	int16_t number = 1;	/* 0 is what nobody can ask for, an unknown one */

	if (!strcmp(word, "any"))
		return RULE_ANY_DIRECTION;
	for (; strcmp(rules_directions[number], "any") != 0; number++)
		if (!strcmp(rules_directions[number], word))
			return number;
	return RULE_NO_DIRECTION;
}

static int direction_of(const struct copy *copy)
{
	static const int8_t directions[3][3] = {
		{ HTOH, HTOD, HTOA }, { DTOH, DTOD, DTOA }, { ATOH, ATOD, ATOA }
	};
	uint32_t types[2];

	for (int i = 0; i < 2; i++) {
		types[i] = copy->types[i];
		if (types[i] == UNIFIED)
			types[i] = rules_is_device(copy->addresses[i]) ? DEVICE : HOST;
		if (types[i] < HOST || types[i] > ARRAY)
			return UNKNOWN;
	}
	return directions[types[0] - 1][types[1] - 1];
}

/* Of what a pointer leads to; all of its layouts have these members. */
#define READ(type, depth) \
	static bool read_##type(uint64_t from, struct copy *copy) \
	{ \
		type is; \
		\
		if (cuaudit_safe_read((const void *)(uintptr_t)from, &is, sizeof(is))) \
			return false; \
		*copy = (struct copy){ \
			(uint64_t)is.WidthInBytes * is.Height * (depth), \
			{ is.srcDevice, is.dstDevice }, \
			{ is.srcMemoryType, is.dstMemoryType } \
		}; \
		return true; \
	}
READ(CUDA_MEMCPY2D_v1, 1)
READ(CUDA_MEMCPY2D, 1)
READ(CUDA_MEMCPY3D_v1, is.Depth)
READ(CUDA_MEMCPY3D, is.Depth)
READ(CUDA_MEMCPY3D_PEER, is.Depth)
#undef READ

static const struct {
	const char *type;
	bool (*read)(uint64_t from, struct copy *copy);
} forms[] = {
#define FORM(name) { "const " #name " *", read_##name }
	FORM(CUDA_MEMCPY2D_v1), FORM(CUDA_MEMCPY2D), FORM(CUDA_MEMCPY3D_v1), FORM(CUDA_MEMCPY3D),
	FORM(CUDA_MEMCPY3D_PEER),
};

struct words {
	uint64_t bytes, first, second;	/* the number of bytes, the first two addresses */
	uint64_t sizes, count, operations;
	bool has_bytes;
	uint32_t addresses;
	struct copy copy;
	bool has_copy;
};

static void look(const struct cuaudit_call *call, const struct cuaudit_param *param,
		 struct words *words)
{
	uint64_t value = call->words[param->word];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(param->type, forms[i].type))
			words->has_copy = forms[i].read(value, &words->copy);
	if (!strcmp(param->name, "ByteCount")) {
		words->bytes = strcmp(param->type, "unsigned int") ? value : (uint32_t)value;
		words->has_bytes = true;
	} else if (!strcmp(param->name, "sizes")) {
		words->sizes = value;
	} else if (!strcmp(param->name, "count") || !strcmp(param->name, "numOps")) {
		words->count = value;
	} else if (!strcmp(param->name, "opList")) {
		words->operations = value;
	} else if (words->addresses < 2) {
		*(words->addresses++ ? &words->second : &words->first) = value;
	}
}

static uint64_t word_at(uint64_t array, uint64_t index)
{
	uint64_t value = 0;

	cuaudit_safe_read((const void *)(uintptr_t)(array + 8 * index), &value, sizeof(value));
	return value;
}

static bool takes(int16_t wanted, int direction)
{
	return wanted == RULE_ANY_DIRECTION || wanted == direction;
}

static int between(uint64_t source, uint64_t destination)
{
	const struct copy copy = { 0, { source, destination }, { UNIFIED, UNIFIED } };

	return direction_of(&copy);
}

/* cuMemcpyBatchAsync: dsts, srcs, sizes, count. */
static uint64_t batch(const struct words *words, int16_t wanted)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < words->count; i++)
		if (wanted == RULE_ANY_DIRECTION ||
		    wanted == between(word_at(words->second, i), word_at(words->first, i)))
			bytes += word_at(words->sizes, i);
	return bytes;
}

static uint64_t operand(const CUmemcpy3DOperand *operand)
{
	return operand->op.ptr.ptr;
}

static uint64_t operations(const struct words *words, int16_t wanted)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < words->count; i++) {
		CUDA_MEMCPY3D_BATCH_OP one;

		if (cuaudit_safe_read((const void *)(uintptr_t)(words->operations + i * sizeof(one)),
				      &one, sizeof(one)))
			break;
		if (takes(wanted, between(operand(&one.src), operand(&one.dst))))
			bytes += (uint64_t)one.extent.width * one.extent.height * one.extent.depth;
	}
	return bytes;
}

static int direction_by_base(const char *base)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (!strcmp(copies[i].base, base))
			return copies[i].direction;
	return UNKNOWN;
}

uint64_t rules_copied(const struct cuaudit_call *call, int16_t wanted)
{
	struct words words = { .bytes = 0 };
	struct cuaudit_param param;
	int direction = direction_by_base(call->function->base);

	for (uint32_t i = 0; !cuaudit_param_get(call->function, i, &param); i++)
		look(call, &param, &words);
	if (words.operations)
		return operations(&words, wanted);
	if (words.sizes)
		return batch(&words, wanted);
	if (words.has_copy)
		return takes(wanted, direction == PTOP ? PTOP : direction_of(&words.copy)) ?
		       words.copy.bytes : 0;
	if (!words.has_bytes)
		return 0;
	if (direction == UNKNOWN && wanted != RULE_ANY_DIRECTION)
		direction = between(words.second, words.first);
	return takes(wanted, direction) ? words.bytes : 0;
}
