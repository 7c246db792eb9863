/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_PLAN_H

#include <stdbool.h>
#include <string.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

enum trace_op_kind {
	TRACE_OP_WORD,		/* a whole word */
	TRACE_OP_HALF,		/* the low 32 bits of a word, ... */
	TRACE_OP_TWO_HALVES,	/* ... of two in a row ... */
	TRACE_OP_FOUR_HALVES,	/* ... and of four */
	TRACE_OP_HALF_BEHIND,	/* 4 bytes behind a pointer, which have a bit of the mask ... */
	TRACE_OP_WORD_BEHIND,	/* ... as have 8 ... */
	TRACE_OP_BEHIND,	/* ... any number ... */
	TRACE_OP_TEXT,		/* ... and these */
	TRACE_OP_ARRAY,
	TRACE_OP_BYTES,		/* any number, from a word's low ones on */
	TRACE_OP_END		/* behind the last */
};

/* Besides copying, what is to be done at a call's exit. */
enum trace_duty {
	TRACE_DUTY_KERNEL = 1,	/* a kernel's handle is in word `kernel` of the plan */
	TRACE_DUTY_STACK = 2	/* the way to the call is written */
};

/* One thing to copy. */
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

struct trace_plan {
	uint8_t mask;		/* bytes of the mask, 0 where no op has a bit of it */
	bool simple;		/* trace_plan_copy_simply will do */
	uint8_t nops;
	uint8_t nsteps;
	uint8_t duties;		/* enum trace_duty */
	uint8_t kernel;
	struct trace_op ops[CUAUDIT_TRACE_STEPS + 1];
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

static inline char *trace_plan_two_halves(const uint64_t *from, char *to)
{
	uint64_t two = (uint32_t)from[0] | from[1] << 32;

	memcpy(to, &two, sizeof(two));
	return to + sizeof(two);
}

/* The same for a simple plan and a call that the driver answered with success. */
static inline __attribute__((always_inline))
char *trace_plan_copy_simply(const struct trace_plan *plan, const uint64_t *words, char *mask_at)
{
	char *to = mask_at + plan->mask;
	uint16_t mask = 0;
	uint32_t half;

	for (const struct trace_op *op = plan->ops;; op++) {
		const uint64_t *from = &words[op->word];
		const void *behind;

		switch (op->kind) {
		case TRACE_OP_WORD:
			memcpy(to, from, sizeof(*from));
			to += sizeof(*from);
			break;
		case TRACE_OP_FOUR_HALVES:
			to = trace_plan_two_halves(from, to);
			from += 2;
			/* fallthrough */
		case TRACE_OP_TWO_HALVES:
			to = trace_plan_two_halves(from, to);
			break;
		case TRACE_OP_HALF:
			half = (uint32_t)*from;
			memcpy(to, &half, sizeof(half));
			to += sizeof(half);
			break;
		case TRACE_OP_HALF_BEHIND:
			behind = (const void *)(uintptr_t)*from;
			if (!behind)
				break;
			memcpy(to, behind, sizeof(half));
			to += sizeof(half);
			mask |= op->bit;
			break;
		case TRACE_OP_WORD_BEHIND:
			behind = (const void *)(uintptr_t)*from;
			if (!behind)
				break;
			memcpy(to, behind, sizeof(*from));
			to += sizeof(*from);
			mask |= op->bit;
			break;
		default:
			if (plan->mask)
				memcpy(mask_at, &mask, sizeof(mask));
			return to;
		}
	}
}

#endif
