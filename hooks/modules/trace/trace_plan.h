/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_TRACE_PLAN_H

#include <stdbool.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

/* Besides copying, what is to be done at a call's exit. */
enum trace_after {
	TRACE_AFTER_KERNEL = 1,	/* a kernel's handle is in word `kernel` of the plan */
	TRACE_AFTER_STACK = 2,	/* the backtrace is recorded */
	TRACE_AFTER_PARAMETERS = 4,	/* the kernel's parameters are */
	TRACE_AFTER_NATIVE = 8	/* the backtrace has all frames, not Python's alone */
};

/* What is behind a pointer. */
struct trace_op {
	uint8_t kind;		/* as of a step: DEREF, TEXT, ARRAY or PARAMETERS */
	uint8_t word;
	uint16_t size;		/* as of a step */
	uint16_t most;		/* bytes of a text, elements of an array */
	uint8_t count_word;	/* where an array's length or the room for a text is ... */
	uint8_t count_size;	/* (0: that is not known) */
	bool count_behind;	/* ... or a pointer to it */
	bool input;		/* the driver reads it: there is something, whatever it answers */
	bool extra;		/* PARAMETERS: a launch's extra */
	bool guarded;		/* nobody vouches for the pointer: what cannot be read is left out */
};

/* What trace_fast_path_x86_64.S can do: so many words, and pointers to 4 or 8 bytes. */
enum { TRACE_FAST_WORDS = 2, TRACE_FAST_SMALLS = 2 };

enum { TRACE_FAST_NOTHING = 6 };	/* the word behind the registers: to where anything may be read */

struct trace_fast_small {
	uint8_t word;		/* of the call's, that points to it */
	uint8_t at;		/* where it is written ... */
	uint8_t upper;		/* ... and the last 4 bytes are */
};

/*
 * The plan for that, with all offsets known, as they are where no pointer is NULL: bytes
 * from the mask on. What there is less of is written where others come after.
 */
struct trace_fast {
	uint16_t mask;
	uint8_t words;		/* of the record, and at once ... */
	uint8_t flags;		/* ... its flags */
	uint8_t first, second;	/* values */
	uint8_t end;
	struct trace_fast_small small[TRACE_FAST_SMALLS];
};

/* The values of a launch. */
struct trace_launch {
	uint64_t kernel;
	uint32_t sizes[7];
	uint64_t stream;
} __attribute__((packed));

enum {
	TRACE_PLAN_WORDS = 31,
	TRACE_PLAN_OPS = 16	/* bits of the mask */
};

/* First the mask, then values, then what is behind pointers. */
struct trace_plan {
	uint8_t mask;		/* bytes of the mask, 0 where there are no ops */
	uint8_t nwords;		/* that have values, or lie before one that has */
	uint8_t nops;
	uint8_t nsteps;
	uint8_t after;		/* enum trace_after */
	uint8_t kernel;
	bool is_launch;		/* the values are a struct trace_launch */
	bool is_typed;		/* the values are of any words, as steps say: of a function of a file of types */
	bool is_joined;		/* of those, steps may have several words */
	uint8_t answer;		/* of those, the one whose lower half is the call's result; 0: none */
	bool is_simple;		/* what is behind pointers has 4 or 8 bytes */
	bool is_fast;		/* `fast` does it */
	uint8_t values[TRACE_PLAN_WORDS + 1];	/* where each word's are written, and where they end */
	struct trace_op ops[TRACE_PLAN_OPS];
	struct trace_fast fast;
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
};

_Static_assert(TRACE_PLAN_WORDS * sizeof(uint64_t) <= UINT8_MAX, "values");

/*
 * Whether trace_fast_path_int will do: of two words the first points to an int
 * that is written, and the second is written whole, as of cuCtxGetDevice_v2.
 * Further arguments would not reach the driver.
 */
static inline bool trace_plan_is_int(const struct trace_plan *plan,
				     const struct cuaudit_function *function)
{
	return function->nparams <= TRACE_FAST_WORDS && plan->is_fast && plan->values[1] == 0 &&
	       plan->values[2] == sizeof(uint64_t) && plan->nops == 1 && plan->ops[0].word == 0 &&
	       plan->ops[0].size == sizeof(uint32_t);
}

/* Bytes of arguments that a record may have. */
enum { TRACE_PLAN_MOST = 1920 };

/*
 * Context: setup. parameters: those of kernels, too. strings, elements: the most that
 * is copied of each.
 */
void trace_plan_setup(bool arguments, bool parameters, uint32_t strings, uint32_t elements);

/* Context: call, locked. The function's plan; one of nothing where memory is out. */
const struct trace_plan *trace_plan(const struct cuaudit_function *function);

#endif
