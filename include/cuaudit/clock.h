/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the calls: the time-stamp counter where it can be trusted. */
#ifndef CUAUDIT_CLOCK_H
#define CUAUDIT_CLOCK_H

#include <cuaudit/public.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cuaudit_clock_source {
	CUAUDIT_CLOCK_MONOTONIC,	/* cuaudit_clock_monotonic() */
	CUAUDIT_CLOCK_COUNTER		/* TSC, or CNTVCT_EL0 */
};

/*
 * nanoseconds = (ticks * mult) >> shift, for differences below 2^40 ticks in
 * 64-bit arithmetic; use cuaudit_clock_ns for any.
 */
struct cuaudit_clock_state {
	uint32_t source;
	uint32_t shift;
	uint64_t mult;
	uint64_t hz;		/* ticks a second */
	uint64_t start_ticks;	/* read together with start_ns ... */
	uint64_t start_ns;	/* ... of CLOCK_REALTIME */
};

/* Written by the core alone: at start, and more exactly before the modules finish. */
extern CUAUDIT_PUBLIC struct cuaudit_clock_state cuaudit_clock;

/* Context: call. The processor's counter. Not serialising: some instructions may overlap. */
static inline uint64_t cuaudit_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

/* Context: call. CLOCK_MONOTONIC now, in nanoseconds. */
CUAUDIT_PUBLIC uint64_t cuaudit_clock_monotonic(void);

/* Context: call. Ticks now, of the clock that was chosen. */
static inline uint64_t cuaudit_ticks(void)
{
	return __builtin_expect(cuaudit_clock.source == CUAUDIT_CLOCK_COUNTER, 1) ?
	       cuaudit_counter() : cuaudit_clock_monotonic();
}

/* Context: call. A difference of ticks in nanoseconds. */
static inline uint64_t cuaudit_clock_ns(uint64_t ticks)
{
	return __extension__(uint64_t)(((unsigned __int128)ticks * cuaudit_clock.mult) >> cuaudit_clock.shift);
}

#ifdef __cplusplus
}
#endif
#endif
