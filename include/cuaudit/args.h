/* SPDX-License-Identifier: Apache-2.0 */
/* Typed views of a call's arguments. C11 and C++17. */
/*
 * CUAUDIT_ARGS(call, cuMemAlloc_v2)->bytesize reads and, in an enter hook,
 * writes the argument of that name. Types are those of the <cuda.h> that the
 * compiler finds, else cuaudit's own; see cuaudit_hook(3).
 */
#ifndef CUAUDIT_ARGS_H
#define CUAUDIT_ARGS_H

#include <cuaudit/api.h>
#include <cuaudit/call.h>
#include <cuaudit/cuda_types.h>

#if defined(CUAUDIT_DEBUG) || !defined(NDEBUG)
#define CUAUDIT_ARGS_CHECKED 1
#else
#define CUAUDIT_ARGS_CHECKED 0
#endif

/*
 * The view of a call's words as the function's parameters. Its _ptds or _ptsz
 * twin has the same; a call of any other function ends the program with a
 * message where CUAUDIT_DEBUG is defined or NDEBUG is not.
 */
#define CUAUDIT_ARGS(call, symbol) \
	((struct cuaudit_args_##symbol *)cuaudit_args(call, CUAUDIT_ID_##symbol, #symbol))

/* A structure by value whose type the <cuda.h> at hand may lack. */
struct cuaudit_words_8 {
	uint64_t words[8];
};

/* Each parameter begins a new word, see <cuaudit/call.h>. */
#define TAG(tag) tag;
#define SEP
#define P(direction, type, name) type name __attribute__((aligned(8)));
#define VIEW(symbol, params) \
	struct cuaudit_args_##symbol { \
		params \
	} __attribute__((may_alias));
#define VIEW_NONE(symbol)
#include <cuaudit/driver_args.def>
#undef TAG
#undef SEP
#undef P
#undef VIEW
#undef VIEW_NONE

#ifdef __cplusplus
extern "C" {
#endif

/* Context: call. Whether the function is the row's or its per-thread twin. */
CUAUDIT_PUBLIC int cuaudit_call_is(const struct cuaudit_call *call, int id);

/* Context: call. Says that a hook took another function's call for symbol's, then aborts. */
CUAUDIT_PUBLIC void cuaudit_args_mistaken(const struct cuaudit_call *call, const char *symbol)
	__attribute__((noreturn, cold));

#ifdef __cplusplus
}
#endif

static inline uint64_t *cuaudit_args(const struct cuaudit_call *call, int id, const char *symbol)
{
	if (CUAUDIT_ARGS_CHECKED && call->function->id != id && !cuaudit_call_is(call, id))
		cuaudit_args_mistaken(call, symbol);
	return call->words;
}

#endif
