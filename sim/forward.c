/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of forward.h, and the _ptds and _ptsz forms: a NULL stream is the thread's own. */
#include "sim/sim.h"

#include "sim/forward.h"

static void *per_thread(void *argument)
{
	CUstream *stream = argument;

	if (!*stream)
		*stream = CU_STREAM_PER_THREAD;
	return argument;
}

/* Each parameter thrice: how it is declared, how it is handed on, and by a per-thread form. */
#define SEP ,
#define P(dir, type, name) (type name, name, HAND_ON(name))
#define HAND_ON(name) \
	(*(__typeof__(name) *)_Generic(&(name), \
		CUstream *: per_thread((void *)&(name)), \
		default: (void *)&(name)))

#define DECLARED(declared, plain, per_thread) declared
#define PLAIN(declared, plain, per_thread) plain
#define PER_THREAD(declared, plain, per_thread) per_thread
#define EACH_1(of, a) of a
#define EACH_2(of, a, ...) of a, EACH_1(of, __VA_ARGS__)
#define EACH_3(of, a, ...) of a, EACH_2(of, __VA_ARGS__)
#define EACH_4(of, a, ...) of a, EACH_3(of, __VA_ARGS__)
#define EACH_5(of, a, ...) of a, EACH_4(of, __VA_ARGS__)
#define EACH_6(of, a, ...) of a, EACH_5(of, __VA_ARGS__)
#define EACH_7(of, a, ...) of a, EACH_6(of, __VA_ARGS__)
#define EACH_8(of, a, ...) of a, EACH_7(of, __VA_ARGS__)
#define EACH_9(of, a, ...) of a, EACH_8(of, __VA_ARGS__)
#define EACH_10(of, a, ...) of a, EACH_9(of, __VA_ARGS__)
#define EACH_11(of, a, ...) of a, EACH_10(of, __VA_ARGS__)

#define FUNCTION(symbol, n, result, ...) \
	CUresult symbol(EACH_##n(DECLARED, __VA_ARGS__)) \
	{ \
		return result; \
	}

/* What forward.h says of a function: how it calls another, or NOT; and which one. */
#define HOW(...) SECOND(__VA_ARGS__, NOT, NONE)
#define SECOND(none, how, ...) how
#define CALLED(...) THIRD(__VA_ARGS__, NONE, NONE, NONE)
#define THIRD(none, how, called, ...) called

#define DEFINE(how, ...) DEFINE_AS(how, __VA_ARGS__)
#define DEFINE_AS(how, ...) DEFINE_##how(__VA_ARGS__)
#define DEFINE_NOT(symbol, called, n, ...)
#define DEFINE_SAME(symbol, called, n, ...) \
	FUNCTION(symbol, n, called(EACH_##n(PLAIN, __VA_ARGS__)), __VA_ARGS__)
#define DEFINE_NIL(symbol, called, n, ...) \
	FUNCTION(symbol, n, called(EACH_##n(PLAIN, __VA_ARGS__), NULL), __VA_ARGS__)
#define DEFINE_ZERO(symbol, called, n, ...) \
	FUNCTION(symbol, n, called(EACH_##n(PLAIN, __VA_ARGS__), 0), __VA_ARGS__)

/* The k-th version of a function, which its per-thread form stands beside. */
#define TWIN_1(base) base
#define TWIN_2(base) base##_v2
#define TWIN_3(base) base##_v3

/* Weak: a file that has more to do for a per-thread form defines it itself. */
#define ROW_NONE(symbol, twin, n, ...) \
	DEFINE(HOW(TO_##symbol), symbol, CALLED(TO_##symbol), n, __VA_ARGS__)
#define ROW_PTDS(symbol, twin, n, ...) \
	__attribute__((weak)) \
	FUNCTION(symbol, n, twin(EACH_##n(PER_THREAD, __VA_ARGS__)), __VA_ARGS__)
#define ROW_PTSZ ROW_PTDS

#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	ROW_##flavour(symbol, TWIN_##variant(base), n, params)
#include <cuaudit/driver_api.def>
