/* SPDX-License-Identifier: Apache-2.0 */
/* Why a call waits, by its function's rows in tables/blocking.def and its arguments. */
#include "hooks/blocking.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>
#include <cuaudit/params.h>

#include "hooks/blocking_copy.h"
#include "hooks/blocking_driver.h"
#include "hooks/safe_read.h"
#include "print/table.h"

/* The strongest first. */
enum when {
#define WHEN(name, text) name,
#include "tables/blocking.def"
	WHENS
};

static const char *const texts[] = {
#define WHEN(name, text) [name] = text,
#include "tables/blocking.def"
};

#define BIT(when) (1U << (when))

static const struct {
	const char *base;
	uint8_t when;
} rows[] = {
#define BLOCKS(base, when, source) { #base, when },
#include "tables/blocking.def"
};

enum form {
	PLAIN,		/* addresses, bytes and stream are arguments */
	DESCRIBED,	/* by a structure, which a copy has, or the stream of a launch */
	BATCH,		/* arrays of addresses and sizes */
	BATCH_3D	/* an array of structures */
};

/*
 * What arguments are to a call. TO is also what is freed, COUNT the rows or the copies of a batch.
 * A structure has the room of what it describes.
 */
enum field {
	STREAM, TO, FROM, BYTES, COUNT,
	FIELDS,
	STRUCTURE = TO, NUMBER = FROM, EIGHTHS = BYTES,	/* where, which, how large */
	LIMIT = TO
};

/* By their names, which no row that the table has changes. */
static const struct {
	const char *name;
	uint8_t field;
	uint8_t kind;	/* of an address */
	uint8_t form;
} parameters[] = {
	{ "ByteCount", BYTES, 0, PLAIN },
	{ "Height", COUNT, 0, PLAIN },
	{ "N", BYTES, 0, PLAIN },
	{ "Width", BYTES, 0, PLAIN },
	{ "config", STRUCTURE, 0, DESCRIBED },
	{ "count", COUNT, 0, PLAIN },
	{ "dptr", TO, BLOCKING_OF_DEVICE, PLAIN },
	{ "dst", TO, BLOCKING_ANY, PLAIN },
	{ "dstDevice", TO, BLOCKING_OF_DEVICE, PLAIN },
	{ "dstHost", TO, BLOCKING_HOST, PLAIN },
	{ "dsts", TO, 0, BATCH },
	{ "hStream", STREAM, 0, PLAIN },
	{ "limit", LIMIT, 0, PLAIN },
	{ "numOps", COUNT, 0, PLAIN },
	{ "opList", TO, 0, BATCH_3D },
	{ "p", TO, BLOCKING_HOST, PLAIN },
	{ "pCopy", STRUCTURE, 0, DESCRIBED },
	{ "sizes", BYTES, 0, PLAIN },
	{ "src", FROM, BLOCKING_ANY, PLAIN },
	{ "srcDevice", FROM, BLOCKING_OF_DEVICE, PLAIN },
	{ "srcHost", FROM, BLOCKING_HOST, PLAIN },
	{ "srcs", FROM, 0, PLAIN },
	{ "stream", STREAM, 0, PLAIN },
};

/* How an argument is packed: 1 + its word, whether it has 32 bits, the kind of an address. */
enum { WORD = 0x1f, NARROW = 0x20, KIND = 6 };

/* What is to be looked at in the calls of a function. */
struct plan {
	uint16_t whens;		/* BIT(WHEN) */
	uint8_t form : 6;
	uint8_t own : 1;	/* the default stream is the thread's */
	uint8_t settled : 1;
	uint8_t fields[FIELDS];	/* packed; 0: there is none */
};

union cell {
	_Atomic uint64_t bits;
	struct plan plan;	/* stays as it is once it is settled */
};
_Static_assert(sizeof(struct plan) <= sizeof(uint64_t), "a plan is stored as a whole");

enum { ROWS = 2048 };

static union cell cells[ROWS];

static uint16_t whens_of(const char *base)
{
	unsigned int whens = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].base, base))
			whens |= BIT(rows[i].when);
	return (uint16_t)whens;
}

static bool is_own(const char *name)
{
	const char *end = strrchr(name, '_');

	return end && (!strcmp(end, "_ptds") || !strcmp(end, "_ptsz"));
}

static void look_at(struct plan *plan, const struct print_param *param)
{
	const struct print_value *value = &param->shape.value;

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		if (strcmp(parameters[i].name, param->name))
			continue;
		plan->fields[parameters[i].field] =
			(uint8_t)((param->word + 1) | (value->size == 4 ? NARROW : 0) |
				  parameters[i].kind << KIND);
		if (parameters[i].form != PLAIN)
			plan->form = parameters[i].form;
		if (parameters[i].form != DESCRIBED)
			continue;
		plan->fields[NUMBER] = value->detail;
		plan->fields[EIGHTHS] = (uint8_t)((value->size + 7) / 8);
	}
}

static __attribute__((noinline)) void settle(union cell *cell, const struct cuaudit_function *function)
{
	struct print_param params[PRINT_PARAMS];
	union {
		uint64_t bits;
		struct plan plan;
	} made = { .plan = { .settled = 1 } };
	uint32_t count = print_params(function->id, params);

	made.plan.own = is_own(function->name);
	made.plan.whens = whens_of(function->base);
	for (uint32_t i = 0; i < count; i++)
		look_at(&made.plan, &params[i]);
	/* Pairs with plan_of. */
	atomic_store_explicit(&cell->bits, made.bits, memory_order_release);
}

static const struct plan *plan_of(const struct cuaudit_function *function)
{
	static const struct plan none;
	uint32_t id = (uint32_t)function->id;

	if (id >= ROWS)
		return &none;
	if (!atomic_load_explicit(&cells[id].bits, memory_order_acquire))
		settle(&cells[id], function);
	return &cells[id].plan;
}

static uint64_t argument(const struct cuaudit_call *call, const struct plan *plan, enum field field)
{
	uint8_t packed = plan->fields[field];
	uint64_t word = call->words[(packed & WORD) - 1];

	return packed & NARROW ? (uint32_t)word : word;
}

static struct blocking_side side(const struct cuaudit_call *call, const struct plan *plan,
				 enum field field)
{
	if (!plan->fields[field])
		return (struct blocking_side){ BLOCKING_NONE, 0 };
	return (struct blocking_side){ plan->fields[field] >> KIND, argument(call, plan, field) };
}

static bool is_zero(const struct cuaudit_call *call, const struct plan *plan, enum field field)
{
	return plan->fields[field] && !argument(call, plan, field);
}

/* What a call does once its arguments are read. */
struct work {
	struct blocking_copy copy;
	uint64_t stream;
};

/* False if the structure cannot be read. */
static bool described(const struct cuaudit_call *call, const struct plan *plan, struct work *work)
{
	struct print_struct members = print_struct_get(plan->fields[NUMBER]);
	char bytes[PRINT_ELEMENT] __attribute__((aligned(8)));
	size_t size = plan->fields[EIGHTHS] * 8U;

	if (size > sizeof(bytes) || !safe_read(argument(call, plan, STRUCTURE), bytes, size))
		return false;
	if (plan->whens & (BIT(HOST) | BIT(PAGEABLE)))
		work->copy = blocking_described(members, bytes);
	blocking_member(members, bytes, "hStream", &work->stream);
	return true;
}

static void plain(const struct cuaudit_call *call, const struct plan *plan, struct work *work)
{
	work->copy.empty = is_zero(call, plan, BYTES) || is_zero(call, plan, COUNT);
	if (!(plan->whens & (BIT(HOST) | BIT(PAGEABLE))))
		return;
	work->copy.to = side(call, plan, TO);
	work->copy.from = side(call, plan, FROM);
	work->copy.small = plan->fields[BYTES] && argument(call, plan, BYTES) <= BLOCKING_SMALL;
	/* Of what is set only the driver knows whether the host has it. */
	if (!plan->fields[FROM] && work->copy.to.kind == BLOCKING_OF_DEVICE)
		work->copy.to.kind = BLOCKING_ANY;
}

static bool read_work(const struct cuaudit_call *call, const struct plan *plan, struct work *work)
{
	*work = (struct work){ .stream = 0 };
	if (plan->form == PLAIN)
		plain(call, plan, work);
	else if (plan->form == DESCRIBED && !described(call, plan, work))
		return false;
	if (plan->fields[STREAM])
		work->stream = argument(call, plan, STREAM);
	if (plan->own && !work->stream)
		work->stream = (uintptr_t)CU_STREAM_PER_THREAD;
	return true;
}

static bool is_legacy(const struct work *work)
{
	return work->stream <= (uintptr_t)CU_STREAM_LEGACY;
}

static bool pageable(const struct cuaudit_call *call, const struct plan *plan,
		     const struct work *work)
{
	bool waits;

	switch (plan->form) {
	case BATCH:
		waits = blocking_batch(argument(call, plan, TO), argument(call, plan, FROM),
				       argument(call, plan, BYTES), argument(call, plan, COUNT));
		break;
	case BATCH_3D:
		waits = blocking_batch_3d(argument(call, plan, TO), argument(call, plan, COUNT));
		break;
	default:
		waits = blocking_copy_pageable(&work->copy);
	}
	/* The legacy stream cannot be captured, and asking would end others' captures. */
	return waits && (is_legacy(work) || !blocking_captured(work->stream));
}

static bool frees(const struct cuaudit_call *call, const struct plan *plan)
{
	struct blocking_side what = side(call, plan, TO);

	return what.address && (what.kind == BLOCKING_HOST || !blocking_in_pool(what.address));
}

const char *blocking_call(const struct cuaudit_call *call, bool streams)
{
	const struct plan *plan;
	struct work work;
	unsigned int at_once;

	if (!(call->function->classes & CUAUDIT_CLASS_BLOCKING) ||
	    call->flags & CUAUDIT_CALL_UNKNOWN)
		return NULL;
	plan = plan_of(call->function);
	at_once = plan->whens & (BIT(ALWAYS) | BIT(DESTROY) | BIT(ALLOC) | BIT(LOADING));
	if (at_once)
		return texts[__builtin_ctz(at_once)];
	if (!streams && plan->whens == BIT(LEGACY))
		return NULL;
	if (plan->whens & BIT(FREE))
		return frees(call, plan) ? texts[FREE] : NULL;
	if (plan->whens & BIT(STACK))
		return argument(call, plan, LIMIT) == CU_LIMIT_STACK_SIZE ? texts[STACK] : NULL;
	if (!read_work(call, plan, &work) || work.copy.empty)
		return NULL;
	if (plan->whens & BIT(HOST) && blocking_copy_host(&work.copy))
		return texts[HOST];
	if (plan->whens & BIT(PAGEABLE) && pageable(call, plan, &work))
		return texts[PAGEABLE];
	return streams && plan->whens & BIT(LEGACY) && is_legacy(&work) ? texts[LEGACY] : NULL;
}
