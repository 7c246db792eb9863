/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_PLAN_H

#include <stdbool.h>
#include <string.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

enum trace_op_kind {
	TRACE_OP_WORDS,		/* a run of whole words */
	TRACE_OP_HALVES,	/* a run of words' low 32 bits */
	TRACE_OP_HALF_BEHIND,	/* 4 bytes behind a pointer, which have a bit of the mask ... */
	TRACE_OP_WORD_BEHIND,	/* ... as have 8 ... */
	TRACE_OP_BEHIND,	/* ... any number ... */
	TRACE_OP_TEXT,		/* ... and these */
	TRACE_OP_ARRAY,
	TRACE_OP_BYTES		/* the low bytes of a word */
};

/* Besides copying, what is to be done at a call's exit. */
enum trace_duty {
	TRACE_DUTY_KERNEL = 1,	/* a kernel's handle is in word `kernel` of the plan */
	TRACE_DUTY_STACK = 2	/* the way to the call is written */
};

/* One thing to copy, or a run of equal ones. */
struct trace_op {
	uint8_t kind;		/* enum trace_op_kind */
	uint8_t word;
	uint16_t size;		/* bytes, of an array's element; of a run: words */
	uint16_t most;		/* bytes of a text, elements of an array */
	uint8_t count_word;	/* where an array's length is ... */
	uint8_t count_size;
	bool count_behind;	/* ... or a pointer to it */
};

struct trace_plan {
	bool masked;		/* some op has a bit of the mask */
	bool simple;		/* trace_plan_copy_simply will do */
	uint8_t nops;
	uint8_t nsteps;
	uint8_t duties;		/* enum trace_duty */
	uint8_t kernel;
	struct trace_op ops[CUAUDIT_TRACE_STEPS];
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

/* The same for a simple plan and a call that the driver answered with success. */
static inline __attribute__((always_inline))
char *trace_plan_copy_simply(const struct trace_plan *plan, const uint64_t *words, char *to)
{
	const struct trace_op *op = plan->ops, *end = op + plan->nops;
	uint32_t mask = 0, bit = 1;
	char *mask_at = to;

	if (plan->masked)
		to += sizeof(uint16_t);
	for (; op < end; op++) {
		const uint64_t *from = &words[op->word], *last = from + op->size;

		if (op->kind == TRACE_OP_HALVES) {
			for (; from < last; from++, to += sizeof(uint32_t)) {
				uint32_t half = (uint32_t)*from;

				memcpy(to, &half, sizeof(half));
			}
		} else if (op->kind == TRACE_OP_WORDS) {
			for (; from < last; from++, to += sizeof(*from))
				memcpy(to, from, sizeof(*from));
		} else {
			const void *behind = (const void *)(uintptr_t)*from;

			if (behind && op->kind == TRACE_OP_WORD_BEHIND) {
				memcpy(to, behind, sizeof(uint64_t));
				to += sizeof(uint64_t);
				mask |= bit;
			} else if (behind) {
				memcpy(to, behind, sizeof(uint32_t));
				to += sizeof(uint32_t);
				mask |= bit;
			}
			bit <<= 1;
		}
	}
	if (plan->masked) {
		uint16_t low = (uint16_t)mask;

		memcpy(mask_at, &low, sizeof(low));
	}
	return to;
}

#endif
