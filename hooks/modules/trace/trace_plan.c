/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#include "hooks/modules/trace/trace_plan.h"

#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/trace/trace_layout.h"
#include "hooks/modules/trace/trace_stack.h"
#include "hooks/modules/trace/trace_table.h"
#include "hooks/safe_read.h"
#include "print/table.h"

enum {
	UNKNOWN_WORDS = 6,	/* of a function newer than the table: what registers hold */
	PAGE = 4096		/* or more: memory ends where one does */
};

static bool wanted, parameters_wanted;
static uint32_t string_bytes, array_elements;

/* By slot. They are the same in a child of fork. */
static const struct trace_plan *plans[CUAUDIT_SLOTS_MAX];

/* What a plan is made of. */
struct making {
	struct trace_plan plan;
	uint8_t sizes[TRACE_PLAN_WORDS];	/* bytes of each word that are written */
	uint32_t room;		/* bytes */
};

void trace_plan_setup(bool arguments, bool parameters, uint32_t strings, uint32_t elements)
{
	wanted = arguments;
	parameters_wanted = parameters;
	string_bytes = strings;
	array_elements = elements;
}

static void add_step(struct trace_plan *plan, enum cuaudit_trace_how how, uint8_t word, size_t size)
{
	plan->steps[plan->nsteps++] = (struct cuaudit_trace_step){
		.how = (uint8_t)how, .word = word, .size = (uint16_t)size,
	};
}

static void add(struct making *making, enum cuaudit_trace_how how, size_t size, struct trace_op op)
{
	struct trace_plan *plan = &making->plan;

	add_step(plan, how, op.word, size);
	op.bit = (uint16_t)(1u << plan->nops);
	plan->mask = sizeof(op.bit);
	if (op.kind > TRACE_OP_DEREF_U64 || plan->nops >= TRACE_LEAST_SMALL)
		plan->compact.more = true;
	else
		plan->compact.small[plan->nops] = (struct trace_small){
			.word = op.word, .size = (uint8_t)op.size, .bit = (uint8_t)op.bit,
			.upper = (uint8_t)(op.size - sizeof(uint32_t)),
		};
	plan->ops[plan->nops++] = op;
}

static void add_value(struct making *making, uint8_t word, size_t size)
{
	size_t end = word + (size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	struct trace_plan *plan = &making->plan;

	if (end > TRACE_PLAN_WORDS)
		return;
	add_step(plan, CUAUDIT_TRACE_VALUE, word, size);
	making->room -= (uint32_t)size;
	for (; size > sizeof(uint64_t); size -= sizeof(uint64_t))
		making->sizes[word++] = sizeof(uint64_t);
	making->sizes[word] = (uint8_t)size;
	plan->nwords = (uint8_t)end;
}

static bool is_input(const struct print_param *param)
{
	return param->direction == CUAUDIT_IN || param->direction == CUAUDIT_INOUT;
}

static void add_behind(struct making *making, const struct print_param *param, size_t size)
{
	struct trace_op op = {
		.kind = TRACE_OP_DEREF, .word = param->word, .size = (uint16_t)size,
		.input = is_input(param),
	};

	if (size > PRINT_ELEMENT || size > making->room)
		return;
	if (size == sizeof(uint64_t))
		op.kind = TRACE_OP_DEREF_U64;
	else if (size == sizeof(uint32_t))
		op.kind = TRACE_OP_DEREF_U32;
	making->room -= (uint32_t)size;
	add(making, CUAUDIT_TRACE_DEREF, size, op);
}

/* One that the driver writes has room for as many bytes as the next parameter says. */
static void add_text(struct making *making, const struct print_param *param,
		     const struct print_param *next)
{
	struct trace_op op = {
		.kind = TRACE_OP_TEXT, .word = param->word, .most = (uint16_t)string_bytes,
		.input = is_input(param),
	};

	if (op.most + sizeof(uint16_t) > making->room)
		return;
	if (param->direction == CUAUDIT_OUT && next && next->shape.how == PRINT_VALUE) {
		op.count_word = next->word;
		op.count_size = (uint8_t)next->shape.value.size;
	}
	making->room -= op.most + (uint32_t)sizeof(uint16_t);
	add(making, CUAUDIT_TRACE_TEXT, 1, op);
}

static void add_array(struct making *making, const struct print_param *param, size_t size,
		      const struct print_param *count)
{
	struct trace_op op = {
		.kind = TRACE_OP_ARRAY, .word = param->word, .size = (uint16_t)size,
		.input = is_input(param),
		.count_word = count->word, .count_size = (uint8_t)count->shape.value.size,
		.count_behind = count->shape.how != PRINT_VALUE,
	};
	size_t fit;

	if (!size || size > PRINT_ELEMENT || making->room < size + sizeof(uint16_t))
		return;
	fit = (making->room - sizeof(uint16_t)) / size;
	op.most = (uint16_t)(fit < array_elements ? fit : array_elements);
	making->room -= (uint32_t)(sizeof(uint16_t) + op.most * size);
	add(making, CUAUDIT_TRACE_ARRAY, size, op);
}

/* A launch has two, of which the driver takes one. */
static void add_parameters(struct making *making, const struct print_param *param)
{
	struct trace_op op = {
		.kind = TRACE_OP_PARAMETERS, .word = param->word, .most = TRACE_LAYOUT_MOST,
		.size = !strcmp(param->name, "extra"), .input = true,
	};

	if (TRACE_LAYOUT_HEAD + TRACE_LAYOUT_MOST > making->room)
		return;
	making->room -= TRACE_LAYOUT_HEAD + TRACE_LAYOUT_MOST;
	making->plan.after |= TRACE_AFTER_PARAMETERS;
	add(making, CUAUDIT_TRACE_PARAMETERS, 1, op);
}

static bool is_value(const struct print_param *param)
{
	return param->shape.how == PRINT_VALUE || param->direction == CUAUDIT_ADDRESS ||
	       param->shape.how == PRINT_DATA || param->shape.how == PRINT_ADDRESS ||
	       (param->shape.how == PRINT_PARAMETERS && !parameters_wanted);
}

/*
 * Where the tables leave open what an address leads to, or how much, it is
 * written itself; the arrays of a kernel's parameters are no use without the
 * kernel.
 */
static void add_param_value(struct making *making, const struct print_param *param)
{
	if (param->shape.how == PRINT_VALUE)
		add_value(making, param->word, param->shape.value.size);
	else if (param->direction == CUAUDIT_ADDRESS || strcmp(param->type, "void **"))
		add_value(making, param->word, sizeof(uint64_t));
}

/*
 * What is followed is what the tables say the driver itself reads or writes, never NULL:
 * after it has done so with success, else what it reads alone, by safe reads.
 */
static void add_param_behind(struct making *making, const struct print_param *params,
			     uint32_t count, uint32_t index)
{
	const struct print_param *param = &params[index];
	size_t size = param->shape.value.size;

	if (param->shape.how == PRINT_FIXED)
		add_behind(making, param, size * param->shape.length);
	else if (param->shape.how == PRINT_ARRAY)
		add_array(making, param, size, &params[param->shape.length]);
	else if (param->shape.how == PRINT_PARAMETERS)
		add_parameters(making, param);
	else
		add_text(making, param, index + 1 < count ? param + 1 : NULL);
}

/* The parameter of a launch that says what is launched. */
static void find_kernel(struct trace_plan *plan, const struct print_param *params, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *word = "";

		if (params[i].shape.how == PRINT_VALUE && params[i].shape.value.kind == PRINT_HANDLE)
			word = print_handle_word(params[i].shape.value.detail);
		if (strcmp(word, "function") && strcmp(word, "kernel"))
			continue;
		plan->after |= TRACE_AFTER_KERNEL;
		plan->kernel = params[i].word;
	}
}

static void make(struct making *making, const struct cuaudit_function *function)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(function->id, params);

	*making = (struct making){ .room = TRACE_PLAN_MOST - sizeof(uint16_t) };
	if (trace_stack_wanted(function->id))
		making->plan.after |= TRACE_AFTER_STACK;
	if (!wanted)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (is_value(&params[i]))
			add_param_value(making, &params[i]);
	for (uint32_t i = 0; i < count; i++)
		if (!is_value(&params[i]))
			add_param_behind(making, params, count, i);
	if (function->classes & CUAUDIT_CLASS_LAUNCH)
		find_kernel(&making->plan, params, count);
	for (uint8_t i = 0; function->id < 0 && i < UNKNOWN_WORDS; i++)
		add_value(making, i, sizeof(uint64_t));
}

static void make_fast_path(struct trace_plan *plan)
{
	const struct trace_compact *compact = &plan->compact;
	struct trace_fast *fast = &plan->fast;
	uint8_t at = (uint8_t)(compact->mask + compact->values[TRACE_COMPACT_WORDS]);

	*fast = (struct trace_fast){
		.flags = compact->flags,
		.first = compact->mask, .second = (uint8_t)(compact->mask + compact->values[1]),
	};
	for (uint32_t i = 0; i < TRACE_LEAST_SMALL; i++) {
		const struct trace_small *small = &compact->small[i];

		fast->small[i] = (struct trace_fast_small){
			.word = (uint8_t)(small->bit ? TRACE_FAST_WORDS + small->word :
					  TRACE_FAST_NOTHING),
			.at = at, .upper = small->upper,
		};
		fast->mask |= small->bit;
		at = (uint8_t)(at + small->size);
	}
	fast->end = at;
	fast->words = (uint8_t)(2 + (at + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

static void finish(struct making *making)
{
	struct trace_plan *plan = &making->plan;
	struct trace_compact *compact = &plan->compact;

	for (uint32_t i = 0; i < TRACE_PLAN_WORDS; i++)
		plan->values[i + 1] = (uint8_t)(plan->values[i] + making->sizes[i]);
	plan->is_launch = plan->nwords == 9;
	for (uint32_t i = 1; i < 8; i++)
		plan->is_launch &= making->sizes[i] == sizeof(uint32_t);
	compact->more |= plan->after || plan->nwords > TRACE_COMPACT_WORDS;
	compact->flags = plan->nsteps ? CUAUDIT_TRACE_WITH_ARGUMENTS : 0;
	compact->mask = plan->mask;
	memcpy(compact->values, plan->values, sizeof(compact->values));
	make_fast_path(plan);
}

/* Of functions of which nothing is written, or without memory. */
static const struct trace_plan nothing = {
	.fast = {
		.words = 2,
		.small = { { .word = TRACE_FAST_NOTHING }, { .word = TRACE_FAST_NOTHING } },
	},
};

const struct trace_plan *trace_plan(const struct cuaudit_function *function)
{
	uint32_t slot = function->slot;
	struct trace_plan *plan = NULL;
	struct making making;

	if (slot >= CUAUDIT_SLOTS_MAX)
		return &nothing;
	if (plans[slot])
		return plans[slot];
	make(&making, function);
	finish(&making);
	if (making.plan.nsteps || making.plan.after)
		plan = trace_table_keep(sizeof(*plan));
	if (plan)
		*plan = making.plan;
	plans[slot] = plan ? plan : &nothing;
	return plans[slot];
}

static uint64_t length_of(const struct trace_op *op, const uint64_t *words)
{
	const void *at = &words[op->count_word];
	uint64_t length = 0;

	if (op->count_behind)
		at = (const void *)(uintptr_t)words[op->count_word];
	if (at)
		memcpy(&length, at, op->count_size);
	/* One that is negative is none. */
	return length >> (8 * op->count_size - 1) ? 0 : length;
}

static char *copy_text(char *to, const struct trace_op *op, const uint64_t *words)
{
	const char *text = (const char *)(uintptr_t)words[op->word];
	uint64_t room = op->count_size ? length_of(op, words) : UINT64_MAX;
	char *at = to + 2;
	uint16_t length = 0;

	while (length < op->most && length < room && text[length]) {
		at[length] = text[length];
		length++;
	}
	at += length;
	if (length == op->most && length < room && text[length])
		length |= 0x8000;
	memcpy(to, &length, sizeof(length));
	return at;
}

/*
 * How many there are the driver may have said, and perhaps not how many it
 * wrote: then what cannot be read is left out.
 */
static char *copy_array(char *to, const struct trace_op *op, const uint64_t *words)
{
	uint64_t length = length_of(op, words), from = words[op->word];
	uint16_t count = (uint16_t)(length < op->most ? length : op->most), written;
	size_t size = (size_t)count * op->size;

	if (op->count_behind && !peek(from, to + sizeof(written), size))
		size = count = 0;
	else if (!op->count_behind)
		memcpy(to + sizeof(written), (const void *)(uintptr_t)from, size);
	written = (uint16_t)(count | (length > count ? 0x8000 : 0));
	memcpy(to, &written, sizeof(written));
	return to + sizeof(written) + size;
}

static char *copy_behind(char *to, const struct trace_op *op, const uint64_t *words)
{
	const void *from = (const void *)(uintptr_t)words[op->word];
	size_t size = op->size;

	switch (op->kind) {
	case TRACE_OP_TEXT:
		return copy_text(to, op, words);
	case TRACE_OP_ARRAY:
		return copy_array(to, op, words);
	case TRACE_OP_DEREF_U64:
		size = sizeof(uint64_t);
		break;
	case TRACE_OP_DEREF_U32:
		size = sizeof(uint32_t);
		break;
	}
	memcpy(to, from, size);
	return to + size;
}

char *trace_plan_copy(const struct trace_plan *plan, const struct cuaudit_call *call,
		      const struct trace_layout *layout, char *to)
{
	const struct trace_op *op = plan->ops, *end = op + plan->nops;
	char *mask_at = to;
	uint16_t mask = 0;

	to = trace_plan_copy_values(plan, call->words, to + plan->mask);
	for (; op < end; op++) {
		if (!call->words[op->word])
			continue;
		if (op->kind != TRACE_OP_PARAMETERS)
			to = copy_behind(to, op, call->words);
		else if (!trace_layout_copy(layout, call->words[op->word], op->size, &to))
			to = trace_layout_none(to);
		mask |= op->bit;
	}
	if (plan->mask)
		memcpy(mask_at, &mask, sizeof(mask));
	return to;
}

/* As much of a text as can be read: up to its NUL, to the most, or to a page that is not there. */
static char *safe_read_text(char *to, const struct trace_op *op, uint64_t from)
{
	uint32_t most = op->most, length = 0;
	uint16_t written;
	char *at = to + sizeof(written), after = '\0';

	while (length < most) {
		uint64_t size = PAGE - (from + length) % PAGE;

		if (size > most - length)
			size = most - length;
		if (!peek(from + length, at + length, size))
			break;
		length += (uint32_t)size;
		if (memchr(at + length - size, '\0', size))
			break;
	}
	if (!length && !peek(from, &after, 1))
		return to;
	written = (uint16_t)strnlen(at, length);
	if (written == length && (!peek(from + length, &after, 1) || after))
		written |= 0x8000;
	memcpy(to, &written, sizeof(written));
	return at + strnlen(at, length);
}

static bool safe_read_length(const struct trace_op *op, const uint64_t *words, uint64_t *length)
{
	struct trace_op near = *op;
	uint64_t count[TRACE_PLAN_WORDS + 1];

	if (!op->count_behind) {
		*length = length_of(op, words);
		return true;
	}
	near.count_behind = false;
	count[op->count_word] = 0;
	if (!peek(words[op->count_word], &count[op->count_word], op->count_size))
		return false;
	*length = length_of(&near, count);
	return true;
}

static char *safe_read_array(char *to, const struct trace_op *op, const uint64_t *words)
{
	uint64_t length;
	uint16_t count, written;
	size_t size;

	if (!safe_read_length(op, words, &length))
		return to;
	count = (uint16_t)(length < op->most ? length : op->most);
	size = (size_t)count * op->size;
	if (size && !peek(words[op->word], to + sizeof(written), size))
		return to;
	written = (uint16_t)(count | (length > count ? 0x8000 : 0));
	memcpy(to, &written, sizeof(written));
	return to + sizeof(written) + size;
}

/* Where it ends, which is `to` if nothing can be read. */
static char *safe_read_behind(char *to, const struct trace_op *op, const uint64_t *words)
{
	size_t size = op->kind == TRACE_OP_DEREF_U64 ? sizeof(uint64_t) :
		      op->kind == TRACE_OP_DEREF_U32 ? sizeof(uint32_t) : op->size;

	if (op->kind == TRACE_OP_TEXT)
		return safe_read_text(to, op, words[op->word]);
	if (op->kind == TRACE_OP_ARRAY)
		return safe_read_array(to, op, words);
	return peek(words[op->word], to, size) ? to + size : to;
}

char *trace_plan_copy_failed(const struct trace_plan *plan, const struct cuaudit_call *call,
			     const struct trace_layout *layout, char *to, bool *whole)
{
	const struct trace_op *op = plan->ops, *end = op + plan->nops;
	char *mask_at = to, *after;
	uint16_t mask = 0;

	*whole = true;
	to = trace_plan_copy_values(plan, call->words, to + plan->mask);
	for (; op < end; op++) {
		if (!op->input || !call->words[op->word])
			continue;
		after = to;
		if (op->kind != TRACE_OP_PARAMETERS)
			after = safe_read_behind(to, op, call->words);
		else
			trace_layout_copy(layout, call->words[op->word], op->size, &after);
		mask |= after > to ? op->bit : 0;
		*whole &= after > to;
		to = after;
	}
	if (plan->mask)
		memcpy(mask_at, &mask, sizeof(mask));
	return to;
}
