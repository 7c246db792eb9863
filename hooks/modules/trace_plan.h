/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_PLAN_H

#include <stdbool.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

/* Besides the arguments, what is to be done at a call's exit. */
enum trace_duty {
	TRACE_DUTY_STACK = 1,
	TRACE_DUTY_KERNEL = 2,		/* a kernel's handle is in the word that plan->kernel says */
	TRACE_DUTY_LEARN = 4,		/* tells a kernel's name */
	TRACE_DUTY_FORGET = 8		/* handles of kernels end with it */
};

/* One thing to copy. */
struct trace_op {
	uint8_t kind;
	uint8_t word;
	uint16_t size;		/* bytes, or words of a run */
	uint8_t count_word;	/* of an array: where its length is */
	uint8_t count_size;
	bool count_behind;	/* it is a pointer to the length */
};

struct trace_plan {
	uint16_t duties;
	uint8_t kernel;
	uint8_t nops;
	bool masked;
	uint32_t nsteps;
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
	struct trace_op ops[CUAUDIT_TRACE_STEPS];
};

/* The largest record has so many bytes of arguments. */
enum { TRACE_PLAN_MOST = 1920 };

/* Context: call, locked. NULL: nothing is to be done for the function, or memory is out. */
const struct trace_plan *trace_plan(const struct cuaudit_function *function);

/* Context: call. Writes a call's arguments and returns where they end. */
char *trace_plan_copy(const struct trace_plan *plan, const struct cuaudit_call *call, char *to);

#endif
