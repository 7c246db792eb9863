/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_PLAN_H

#include <stdbool.h>
#include <string.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

enum trace_op_kind {
	TRACE_OP_HALF_BEHIND,	/* 4 bytes behind a pointer ... */
	TRACE_OP_WORD_BEHIND,	/* ... 8 ... */
	TRACE_OP_BEHIND,	/* ... any number ... */
	TRACE_OP_TEXT,		/* ... and these */
	TRACE_OP_ARRAY
};

/* Besides copying, what is to be done at a call's exit. */
enum trace_duty {
	TRACE_DUTY_KERNEL = 1,	/* a kernel's handle is in word `kernel` of the plan */
	TRACE_DUTY_STACK = 2	/* the way to the call is written */
};

/* What is behind a pointer. */
struct trace_op {
	uint8_t kind;		/* enum trace_op_kind */
	uint8_t word;
	uint16_t size;		/* bytes, of an array's element */
	uint16_t bit;		/* of the mask */
	uint16_t most;		/* bytes of a text, elements of an array */
	uint8_t count_word;	/* where an array's length is ... */
	uint8_t count_size;
	bool count_behind;	/* ... or a pointer to it */
};

/* The same of 4 bytes or 8. */
struct trace_small {
	uint8_t word;
	uint8_t size;
	uint16_t bit;
};

enum { TRACE_PLAN_WORDS = 32, TRACE_PLAN_SMALL = 4, TRACE_PLAN_LINE = 64 };

/* First the mask, then values, then what is behind pointers. A simple one is a line of the cache. */
struct trace_plan {
	uint8_t mask;		/* bytes of the mask, 0 where there are no ops */
	bool simple;		/* trace_plan_copy_simply will do: its ops are small ones */
	uint8_t nwords;		/* that have values, or lie before one that has */
	uint8_t nops;
	uint8_t nsteps;
	uint8_t duties;		/* enum trace_duty */
	uint8_t kernel;
	struct trace_small small[TRACE_PLAN_SMALL];
	uint8_t values[TRACE_PLAN_WORDS];	/* bytes of each word that are written */
	struct trace_op ops[CUAUDIT_TRACE_STEPS] __attribute__((aligned(TRACE_PLAN_LINE)));
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
};

/* Bytes of arguments that a record may have. */
enum { TRACE_PLAN_MOST = 1920 };

/* Context: setup. strings, elements: the most that is copied of each. */
void trace_plan_setup(bool arguments, uint32_t strings, uint32_t elements);

/* Context: call, locked. The function's plan; NULL: it has no arguments, or memory is out. */
const struct trace_plan *trace_plan(const struct cuaudit_function *function);

/* Context: call. Writes a call's arguments, not more than the most; returns where they end. */
char *trace_plan_copy(const struct trace_plan *plan, const struct cuaudit_call *call, char *to);

/*
 * Whole words are stored, each where the bytes before it that count end: to
 * ask which are short would take longer. So up to 8 bytes behind the end are
 * written, too.
 */
static inline __attribute__((always_inline))
char *trace_plan_copy_values(const struct trace_plan *plan, const uint64_t *words, char *to)
{
	const uint8_t *size = plan->values;

	for (const uint64_t *end = words + plan->nwords; words < end; words++) {
		memcpy(to, words, sizeof(*words));
		to += *size++;
	}
	return to;
}

/* The same for a simple plan and a call that the driver answered with success. */
static inline __attribute__((always_inline))
char *trace_plan_copy_simply(const struct trace_plan *plan, const uint64_t *words, char *mask_at)
{
	char *to = trace_plan_copy_values(plan, words, mask_at + plan->mask);
	uint16_t mask = 0;

	if (!plan->mask)
		return to;
	for (const struct trace_small *op = plan->small; op < plan->small + plan->nops; op++) {
		const void *behind = (const void *)(uintptr_t)words[op->word];

		if (!behind)
			continue;
		mask |= op->bit;
		if (op->size == sizeof(uint32_t))
			memcpy(to, behind, sizeof(uint32_t));
		else
			memcpy(to, behind, sizeof(uint64_t));
		to += op->size;
	}
	memcpy(mask_at, &mask, sizeof(mask));
	return to;
}

#endif
