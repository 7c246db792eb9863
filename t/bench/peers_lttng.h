/* SPDX-License-Identifier: Apache-2.0 */
/* The two events of a call, as lttng-ust(3) wants them. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER cuaudit_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./peers_lttng.h"

#if !defined(BENCH_PEERS_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_PEERS_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
	cuaudit_bench, entry,
	LTTNG_UST_TP_ARGS(uintptr_t, context),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer_hex(uintptr_t, context, context)))

LTTNG_UST_TRACEPOINT_EVENT(
	cuaudit_bench, leave,
	LTTNG_UST_TP_ARGS(int, result, uintptr_t, context),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, result, result)
			    lttng_ust_field_integer_hex(uintptr_t, context, context)))

#endif

#include <lttng/tracepoint-event.h>
