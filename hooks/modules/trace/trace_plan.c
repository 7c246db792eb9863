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
#include "hooks/provider_types.h"
#include "print/table.h"

enum { UNKNOWN_WORDS = 6 };	/* of a function newer than the table: what registers hold */

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

static void add_step(struct trace_plan *plan, uint8_t kind, uint8_t word, size_t size)
{
	plan->steps[plan->nsteps++] = (struct cuaudit_trace_step){
		.kind = kind, .word = word, .size = (uint16_t)size,
	};
}

static void add(struct making *making, const struct trace_op *op)
{
	struct trace_plan *plan = &making->plan;

	add_step(plan, op->kind, op->word, op->size);
	plan->is_simple &= op->kind == CUAUDIT_TRACE_DEREF &&
			   (op->size == sizeof(uint32_t) || op->size == sizeof(uint64_t));
	plan->mask = sizeof(uint16_t);
	plan->ops[plan->nops++] = *op;
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
	const struct trace_op op = {
		.kind = CUAUDIT_TRACE_DEREF, .word = param->word, .size = (uint16_t)size,
		.input = is_input(param),
	};

	if (size > PRINT_ELEMENT || size > making->room)
		return;
	making->room -= (uint32_t)size;
	add(making, &op);
}

/* One that the driver writes has room for as many bytes as the next parameter says. */
static void add_text(struct making *making, const struct print_param *param,
		     const struct print_param *next, bool guarded)
{
	struct trace_op op = {
		.kind = CUAUDIT_TRACE_TEXT, .word = param->word, .size = 1,
		.most = (uint16_t)string_bytes, .input = is_input(param),
	};

	op.guarded = guarded;
	if (op.most + sizeof(uint16_t) > making->room)
		return;
	if (param->direction == CUAUDIT_OUT && next && next->shape.how == PRINT_VALUE) {
		op.count_word = next->word;
		op.count_size = (uint8_t)next->shape.value.size;
	}
	making->room -= op.most + (uint32_t)sizeof(uint16_t);
	add(making, &op);
}

static void add_array(struct making *making, const struct print_param *param, size_t size,
		      const struct print_param *count)
{
	struct trace_op op = {
		.kind = CUAUDIT_TRACE_ARRAY, .word = param->word, .size = (uint16_t)size,
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
	add(making, &op);
}

/* A launch has two, of which the driver takes one. */
static void add_parameters(struct making *making, const struct print_param *param)
{
	const struct trace_op op = {
		.kind = CUAUDIT_TRACE_PARAMETERS, .word = param->word, .size = 1,
		.extra = !strcmp(param->name, "extra"), .input = true,
	};

	if (TRACE_LAYOUT_HEAD + TRACE_LAYOUT_MOST > making->room)
		return;
	making->room -= TRACE_LAYOUT_HEAD + TRACE_LAYOUT_MOST;
	making->plan.after |= TRACE_AFTER_PARAMETERS;
	add(making, &op);
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
		add_text(making, param, index + 1 < count ? param + 1 : NULL, false);
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

/* Joined, a value whose word comes behind those of a step is part of it. */
static void add_typed(struct making *making, const struct print_param *param)
{
	struct trace_plan *plan = &making->plan;
	size_t size = plan->is_joined ? sizeof(uint64_t) : param->shape.value.size;
	uint32_t at = 0;

	if (param->shape.value.kind == PRINT_OPAQUE)
		return;
	while (at < plan->nsteps &&
	       (!plan->is_joined || plan->steps[at].word + plan->steps[at].size / sizeof(uint64_t) != param->word))
		at++;
	if (at == CUAUDIT_TRACE_STEPS)
		return;
	if (at == plan->nsteps)
		add_step(plan, CUAUDIT_TRACE_VALUE, param->word, size);
	else
		plan->steps[at].size += (uint16_t)size;
	making->room -= (uint32_t)size;
}

/* A parameter; behind the last of them what the function returns. */
static struct print_param typed_param(const struct cuaudit_function *function, const uint8_t *words,
				      uint32_t count, uint32_t index)
{
	struct print_param result;

	if (index < count)
		return provider_types_param(function, index, words[index]);
	provider_types_result(function, &result);
	return result;
}

/*
 * Of a function of a file of types, whose pointers nobody vouches for: strings alone are
 * followed, as far as they can be read, and the pointer is there where they cannot. Values
 * that have no steps of their own are in common ones.
 */
static void make_typed(struct making *making, const struct cuaudit_function *function)
{
	uint8_t words[PRINT_TYPED];
	uint32_t count = provider_types_words(function, words), steps = 0;
	struct print_param param;
	uint32_t all = count + provider_types_result(function, &param);

	if (all > count && param.shape.value.kind != PRINT_REAL)
		making->plan.answer = param.word;
	making->plan.is_typed = true;
	making->plan.is_simple = false;
	for (uint32_t i = 0; i < all; i++) {
		param = typed_param(function, words, count, i);
		steps += (param.shape.value.kind != PRINT_OPAQUE) + (param.shape.how == PRINT_STRING);
	}
	making->plan.is_joined = steps > CUAUDIT_TRACE_STEPS;
	for (uint32_t i = 0; i < all; i++) {
		param = typed_param(function, words, count, i);
		add_typed(making, &param);
	}
	for (uint32_t i = 0; i < all && making->plan.nsteps < CUAUDIT_TRACE_STEPS; i++) {
		param = typed_param(function, words, count, i);
		if (param.shape.how == PRINT_STRING && making->plan.nops < TRACE_PLAN_OPS)
			add_text(making, &param, NULL, true);
	}
}

/* Of a function without a row: registers, or what parameters the runtime reports. */
static uint8_t raw_words(const struct cuaudit_function *function)
{
	struct cuaudit_param param;
	uint32_t words = 0;

	if (function->id == CUAUDIT_ID_TABLES)
		return 0;	/* they are its parameters */
	if (function->id != CUAUDIT_ID_RUNTIME)
		return function->id < 0 ? UNKNOWN_WORDS : 0;
	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++)
		words = param.word + param.words;
	return words < UNKNOWN_WORDS ? (uint8_t)words : UNKNOWN_WORDS;
}

static void make(struct making *making, const struct cuaudit_function *function)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(function->id, params);

	*making = (struct making){
		.plan.is_simple = true, .room = TRACE_PLAN_MOST - sizeof(uint16_t),
	};
	making->plan.after |= trace_stack_wanted(function);
	if (!wanted)
		return;
	if (provider_types_of(function)) {
		make_typed(making, function);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (is_value(&params[i]))
			add_param_value(making, &params[i]);
	for (uint32_t i = 0; i < count; i++)
		if (!is_value(&params[i]))
			add_param_behind(making, params, count, i);
	if (function->classes & CUAUDIT_CLASS_LAUNCH)
		find_kernel(&making->plan, params, count);
	for (uint8_t i = 0; i < raw_words(function); i++)
		add_value(making, i, sizeof(uint64_t));
}

static bool is_launch(const struct making *making)
{
	bool is = making->plan.nwords == 9;

	for (uint32_t i = 0; i < 9; i++)
		is &= making->sizes[i] == (i == 0 || i == 8 ? sizeof(uint64_t) : sizeof(uint32_t));
	return is;
}

static void make_fast_path(struct trace_plan *plan)
{
	uint8_t at = (uint8_t)(plan->mask + plan->values[TRACE_FAST_WORDS]);
	struct trace_fast *fast = &plan->fast;

	plan->is_fast = plan->is_simple && !plan->after && plan->nwords <= TRACE_FAST_WORDS &&
			plan->nops <= TRACE_FAST_SMALLS;
	*fast = (struct trace_fast){
		.mask = (uint16_t)((1u << plan->nops) - 1),
		.flags = plan->nsteps ? CUAUDIT_TRACE_WITH_ARGUMENTS : 0,
		.first = plan->mask, .second = (uint8_t)(plan->mask + plan->values[1]),
	};
	for (uint32_t i = 0; i < TRACE_FAST_SMALLS; i++) {
		const struct trace_op *op = &plan->ops[i];

		fast->small[i] = (struct trace_fast_small){ .word = TRACE_FAST_NOTHING, .at = at };
		if (i >= plan->nops)
			continue;
		fast->small[i].word = op->word;
		fast->small[i].upper = (uint8_t)(op->size - sizeof(uint32_t));
		at = (uint8_t)(at + op->size);
	}
	fast->end = at;
	fast->words = (uint8_t)(2 + (at + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

/* Of functions of which nothing is written, or without memory. */
static const struct trace_plan nothing = {
	.is_simple = true,
	.is_fast = true,
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
	for (uint32_t i = 0; i < TRACE_PLAN_WORDS; i++)
		making.plan.values[i + 1] = (uint8_t)(making.plan.values[i] + making.sizes[i]);
	making.plan.is_launch = is_launch(&making);
	make_fast_path(&making.plan);
	if (making.plan.nsteps || making.plan.after)
		plan = trace_table_keep(sizeof(*plan));
	if (plan)
		*plan = making.plan;
	plans[slot] = plan ? plan : &nothing;
	return plans[slot];
}
