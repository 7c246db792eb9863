/* SPDX-License-Identifier: Apache-2.0 */
/* How much a call copies, and in which direction. */
#include "hooks/modules/rules/rules_copied.h"

#include <stdatomic.h>
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

enum { NO_WORD = 0xff };

/* Which words of a function's calls say that. */
static struct plan {
	int8_t direction;
	uint8_t form;			/* of forms, and 1; 0: none */
	uint8_t structure;		/* in that form */
	uint8_t bytes;
	bool narrow;			/* of 32 bits */
	uint8_t first, second;		/* addresses */
	uint8_t sizes, count, operations;
} plans[] = {
#define CUAPI(id, ...) [id] = { .direction = UNKNOWN },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum { ROWS = sizeof(plans) / sizeof(plans[0]) };

static _Atomic bool planned[ROWS];

static int direction_by_base(const char *base)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (!strcmp(copies[i].base, base))
			return copies[i].direction;
	return UNKNOWN;
}

static void plan_param(struct plan *plan, const struct cuaudit_param *param)
{
	uint8_t word = (uint8_t)param->word;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(param->type, forms[i].type)) {
			plan->form = (uint8_t)(i + 1);
			plan->structure = word;
		}
	if (!strcmp(param->name, "ByteCount")) {
		plan->bytes = word;
		plan->narrow = !strcmp(param->type, "unsigned int");
	} else if (!strcmp(param->name, "sizes")) {
		plan->sizes = word;
	} else if (!strcmp(param->name, "count") || !strcmp(param->name, "numOps")) {
		plan->count = word;
	} else if (!strcmp(param->name, "opList")) {
		plan->operations = word;
	} else if (plan->first == NO_WORD) {
		plan->first = word;
	} else if (plan->second == NO_WORD) {
		plan->second = word;
	}
}

/* Made at the first call of a function; of threads that make one at once, all make the same. */
static const struct plan *plan_of(const struct cuaudit_function *function)
{
	static const struct plan none = { .direction = UNKNOWN, .bytes = NO_WORD, .sizes = NO_WORD, .operations = NO_WORD };
	struct plan made = none;
	struct cuaudit_param param;

	if (function->id < 0 || function->id >= ROWS)
		return &none;
	if (atomic_load_explicit(&planned[function->id], memory_order_acquire))
		return &plans[function->id];
	made.direction = (int8_t)direction_by_base(function->base);
	made.first = made.second = made.count = made.structure = NO_WORD;
	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++)
		plan_param(&made, &param);
	plans[function->id] = made;
	atomic_store_explicit(&planned[function->id], true, memory_order_release);
	return &plans[function->id];
}

static uint64_t word_of(const struct cuaudit_call *call, uint8_t word)
{
	return word == NO_WORD ? 0 : call->words[word];
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
static uint64_t batch(const struct cuaudit_call *call, const struct plan *plan, int16_t wanted)
{
	uint64_t count = word_of(call, plan->count), bytes = 0;

	for (uint64_t i = 0; i < count; i++)
		if (wanted == RULE_ANY_DIRECTION ||
		    wanted == between(word_at(word_of(call, plan->second), i), word_at(word_of(call, plan->first), i)))
			bytes += word_at(word_of(call, plan->sizes), i);
	return bytes;
}

static uint64_t operand(const CUmemcpy3DOperand *operand)
{
	return operand->op.ptr.ptr;
}

static uint64_t operations(uint64_t list, uint64_t count, int16_t wanted)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < count; i++) {
		CUDA_MEMCPY3D_BATCH_OP one;

		if (cuaudit_safe_read((const void *)(uintptr_t)(list + i * sizeof(one)), &one, sizeof(one)))
			break;
		if (takes(wanted, between(operand(&one.src), operand(&one.dst))))
			bytes += (uint64_t)one.extent.width * one.extent.height * one.extent.depth;
	}
	return bytes;
}

uint64_t rules_copied(const struct cuaudit_call *call, int16_t wanted)
{
	const struct plan *plan = plan_of(call->function);
	uint64_t list = word_of(call, plan->operations), bytes;
	int direction = plan->direction;
	struct copy copy;

	if (list)
		return operations(list, word_of(call, plan->count), wanted);
	if (word_of(call, plan->sizes))
		return batch(call, plan, wanted);
	if (plan->form && forms[plan->form - 1].read(call->words[plan->structure], &copy))
		return takes(wanted, direction == PTOP ? PTOP : direction_of(&copy)) ? copy.bytes : 0;
	if (plan->bytes == NO_WORD)
		return 0;
	if (direction == UNKNOWN && wanted != RULE_ANY_DIRECTION)
		direction = between(word_of(call, plan->second), word_of(call, plan->first));
	bytes = call->words[plan->bytes];
	return takes(wanted, direction) ? plan->narrow ? (uint32_t)bytes : bytes : 0;
}
