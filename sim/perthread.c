/* SPDX-License-Identifier: Apache-2.0 */
/* The _ptds and _ptsz forms: a NULL stream means the thread's own default stream. */
#include "sim/sim.h"

static void *per_thread(void *argument)
{
	CUstream *stream = argument;

	if (!*stream)
		*stream = CU_STREAM_PER_THREAD;
	return argument;
}

/* The k-th version of a function, which its per-thread form stands beside. */
#define TWIN_1(base) base
#define TWIN_2(base) base##_v2
#define TWIN_3(base) base##_v3

/* Each parameter as a pair: how it is declared, how it is handed on. */
#define SEP ,
#define P(dir, type, name) (type name, HAND_ON(name))
#define HAND_ON(name) \
	(*(__typeof__(name) *)_Generic(&(name), \
		CUstream *: per_thread((void *)&(name)), \
		default: (void *)&(name)))

#define DECLARED(declared, handed_on) declared
#define HANDED_ON(declared, handed_on) handed_on
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

/* Weak: a file that has more to do for one defines it itself. */
#define DEFINE_NONE(symbol, twin, n, ...)
#define DEFINE_PTDS(symbol, twin, n, ...) \
	__attribute__((weak)) CUresult symbol(EACH_##n(DECLARED, __VA_ARGS__)) \
	{ \
		return twin(EACH_##n(HANDED_ON, __VA_ARGS__)); \
	}
#define DEFINE_PTSZ DEFINE_PTDS

#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	DEFINE_##flavour(symbol, TWIN_##variant(base), n, params)
#include <cuaudit/driver_api.def>
