/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#ifndef HOOKS_MODULES_TRACE_TRACE_PLAN_H
#define HOOKS_MODULES_TRACE_TRACE_PLAN_H

#include <stdbool.h>
#include <string.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

struct trace_layout;

enum trace_op_kind {
	TRACE_OP_DEREF_U32,	/* 4 bytes behind a pointer ... */
	TRACE_OP_DEREF_U64,	/* ... 8 ... */
	TRACE_OP_DEREF,	/* ... any number ... */
	TRACE_OP_TEXT,		/* ... and these */
	TRACE_OP_ARRAY,
	TRACE_OP_PARAMETERS	/* of a kernel; size: 1 for a launch's extra */
};

/* Besides copying, what is to be done at a call's exit. */
enum trace_after {
	TRACE_AFTER_KERNEL = 1,	/* a kernel's handle is in word `kernel` of the plan */
	TRACE_AFTER_STACK = 2,	/* the backtrace is recorded */
	TRACE_AFTER_PARAMETERS = 4	/* the kernel's parameters are */
};

/* What is behind a pointer. */
struct trace_op {
	uint8_t kind;		/* enum trace_op_kind */
	uint8_t word;
	uint16_t size;		/* bytes, of an array's element */
	uint16_t bit;		/* of the mask */
	uint16_t most;		/* bytes of a text, elements of an array */
	uint8_t count_word;	/* where an array's length or the room for a text is ... */
	uint8_t count_size;	/* (0: that is not known) */
	bool count_behind;	/* ... or a pointer to it */
	bool input;		/* the driver reads it: there is something, whatever it answers */
};

/* The same of 4 bytes or 8; bit 0: of nothing. */
struct trace_small {
	uint8_t word;
	uint8_t size;
	uint8_t upper;		/* where the last 4 bytes are */
	uint8_t bit;
};

enum { TRACE_PLAN_WORDS = 31, TRACE_COMPACT_WORDS = 2, TRACE_LEAST_SMALL = 2 };

/* What most functions need, small enough to lie beside what is looked at anyway. */
struct trace_compact {
	bool more;		/* the plan itself is wanted: this will not do, or there are after */
	uint8_t flags;		/* of a record */
	uint8_t mask;		/* bytes of the mask */
	uint8_t values[TRACE_COMPACT_WORDS + 1];	/* as of a plan */
	struct trace_small small[TRACE_LEAST_SMALL];
};

/* Words of a struct fast_call: the first of a call, and one that points to where anything may be read. */
enum { TRACE_FAST_WORDS = 4, TRACE_FAST_NOTHING = 3 };

struct trace_fast_small {
	uint8_t word;		/* of a struct fast_call */
	uint8_t at;		/* where it is written ... */
	uint8_t upper;		/* ... and the last 4 bytes are */
};

/*
 * The same with all offsets known, as they are where no pointer is NULL: bytes
 * from the mask on. What there is less of is written where others come after.
 */
struct trace_fast {
	uint16_t mask;
	uint8_t words;		/* of the record */
	uint8_t flags;
	uint8_t first, second;	/* values */
	uint8_t end;
	struct trace_fast_small small[TRACE_LEAST_SMALL];
};

/* First the mask, then values, then what is behind pointers. */
struct trace_plan {
	struct trace_compact compact;
	uint8_t mask;		/* bytes of the mask, 0 where there are no ops */
	uint8_t nwords;		/* that have values, or lie before one that has */
	uint8_t nops;
	uint8_t nsteps;
	uint8_t after;		/* enum trace_after */
	uint8_t kernel;
	bool is_launch;		/* of nine values all but the first and the last are of 4 bytes */
	uint8_t values[TRACE_PLAN_WORDS + 1];	/* where each word's are written, and where they end */
	struct trace_fast fast;
	struct trace_op ops[CUAUDIT_TRACE_STEPS];
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
};

/*
 * Whether trace_fast_path_int will do: of two words the first points to an int
 * that is written, and the second is written whole, as of cuCtxGetDevice_v2.
 * Further arguments would not reach the driver.
 */
static inline bool trace_plan_is_int(const struct trace_plan *plan,
				     const struct cuaudit_function *function)
{
	return function->nparams <= TRACE_COMPACT_WORDS && !plan->compact.more &&
	       plan->compact.values[1] == 0 && plan->compact.values[2] == sizeof(uint64_t) &&
	       plan->nops == 1 && plan->ops[0].word == 0 &&
	       plan->ops[0].kind == TRACE_OP_DEREF_U32;
}

_Static_assert(TRACE_PLAN_WORDS * sizeof(uint64_t) <= UINT8_MAX, "values");

/* Bytes of arguments that a record may have. */
enum { TRACE_PLAN_MOST = 1920 };

/*
 * Context: setup. parameters: those of kernels, too. strings, elements: the most that
 * is copied of each.
 */
void trace_plan_setup(bool arguments, bool parameters, uint32_t strings, uint32_t elements);

/* Context: call, locked. The function's plan; one of nothing where memory is out. */
const struct trace_plan *trace_plan(const struct cuaudit_function *function);

/* Four words' lower halves; aligned as words are. */
typedef uint32_t trace_compact_u32 __attribute__((vector_size(16), aligned(8), may_alias));

static inline void trace_compact_u32_copy(const uint64_t *words, char *to)
{
	const trace_compact_u32 *from = (const trace_compact_u32 *)words;
#ifdef __clang__
	trace_compact_u32 halves = __builtin_shufflevector(from[0], from[1], 0, 2, 4, 6);
#else
	trace_compact_u32 halves = __builtin_shuffle(from[0], from[1], (trace_compact_u32){ 0, 2, 4, 6 });
#endif

	memcpy(to, &halves, sizeof(halves));
}

/*
 * Context: call. Writes the values, without what comes before; returns where
 * they end. Whole words are stored, the next over what of one does not count,
 * so up to 8 bytes behind the end are written, too. The first words are of any
 * call, and there is no jump for them, as it may be guessed wrong.
 */
static inline __attribute__((always_inline))
char *trace_plan_copy_values(const struct trace_plan *plan, const uint64_t *words, char *to)
{
	enum { FIRST = 10 };

	if (plan->is_launch) {
		memcpy(to, &words[0], sizeof(*words));
		trace_compact_u32_copy(&words[1], to + plan->values[1]);
		trace_compact_u32_copy(&words[5], to + plan->values[5]);
		memcpy(to + plan->values[8], &words[8], sizeof(*words));
		return to + plan->values[TRACE_PLAN_WORDS];
	}
#pragma GCC unroll 10
	for (uint32_t i = 0; i < FIRST; i++)
		memcpy(to + plan->values[i], &words[i], sizeof(*words));
	for (uint32_t i = FIRST; i < plan->nwords; i++)
		memcpy(to + plan->values[i], &words[i], sizeof(*words));
	return to + plan->values[TRACE_PLAN_WORDS];
}

/*
 * Context: call. Writes a successful call's arguments, at most TRACE_PLAN_MOST; returns the
 * end. layout: of the kernel that is launched, NULL if there is none, or it is not known.
 */
char *trace_plan_copy(const struct trace_plan *plan, const struct cuaudit_call *call,
		      const struct trace_layout *layout, char *to);

/*
 * Context: call. The same of a call that the driver did not answer with success: what it
 * reads is copied as far as it can be read. *whole: of what is missing there, the pointer is NULL.
 */
char *trace_plan_copy_failed(const struct trace_plan *plan, const struct cuaudit_call *call,
			     const struct trace_layout *layout, char *to, bool *whole);

/* All ones where the step is to follow its pointer: not NULL, and there is a step. */
static inline uint64_t trace_small_follows(const struct trace_small *small, const uint64_t *words)
{
	return -(uint64_t)((words[small->word] != 0) & (small->bit != 0));
}

/* What is behind the pointer, or anything where it is not to be followed, but no byte then counts. */
static inline char *trace_small_copy(const struct trace_small *small, const uint64_t *words,
				     uint64_t follows, char *to)
{
	const char *from = (const char *)(uintptr_t)((words[small->word] & follows) |
						     ((uintptr_t)words & ~follows));
	uint32_t lower, upper;

	memcpy(&lower, from, sizeof(lower));
	memcpy(&upper, from + small->upper, sizeof(upper));
	memcpy(to, &lower, sizeof(lower));
	memcpy(to + sizeof(lower), &upper, sizeof(upper));
	return to + (small->size & follows);
}

/*
 * Context: call. trace_plan_copy where there is no more, of a call that the
 * driver answered with success, and without a jump. Up to 8 bytes behind the
 * end are written, too.
 */
static inline __attribute__((always_inline))
char *trace_compact_copy(const struct trace_compact *compact, const uint64_t *words, char *mask_at)
{
	const struct trace_small *small = compact->small;
	uint64_t first = trace_small_follows(&small[0], words);
	uint64_t second = trace_small_follows(&small[1], words);
	uint16_t mask = (uint16_t)((small[0].bit & first) | (small[1].bit & second));
	char *to = mask_at + compact->mask;

	/* Where there is no mask, what follows is written over it. */
	memcpy(mask_at, &mask, sizeof(mask));
	for (int i = 0; i < TRACE_COMPACT_WORDS; i++)
		memcpy(to + compact->values[i], &words[i], sizeof(words[i]));
	to += compact->values[TRACE_COMPACT_WORDS];
	to = trace_small_copy(&small[0], words, first, to);
	return trace_small_copy(&small[1], words, second, to);
}

#endif
