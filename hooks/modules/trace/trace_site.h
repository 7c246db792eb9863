/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's memory of its call sites. */
#ifndef HOOKS_MODULES_TRACE_TRACE_SITE_H
#define HOOKS_MODULES_TRACE_TRACE_SITE_H

#include <cuaudit/call.h>

#include "hooks/modules/trace/trace_plan.h"

enum {
	TRACE_SITES_BITS = 8,
	TRACE_SITES = 1 << TRACE_SITES_BITS,
	TRACE_SITE_FUNCTION_SHIFT = 8,	/* of a sum that also has the caller */
	TRACE_SITE_WAYS = 16,	/* a power of two */
	TRACE_SITE_CHANGE = 64
};

#define TRACE_SITES_FACTOR 0x9e3779b9u

/*
 * The call site's last record of several words that trace_fast_path_x86_64.S wrote in the
 * chunk. What it read for its arguments is kept, so that a repeated call is recorded
 * in one word: here for the calls of trace_fast_path_int, else in trace_site_cold.
 */
struct trace_last {
	const uint64_t *record;	/* NULL: none in this chunk */
	union {
		struct {
			uint64_t word;	/* the second */
			uint32_t small;	/* the int */
		} one;
		uint64_t masks[TRACE_FAST_WORDS];	/* what is written of each word */
	};
};

/* A call site, as the thread last saw it: a line of the cache. */
struct trace_site {
	const void *caller;
	const struct cuaudit_function *function;
	uint32_t generation;
	uint32_t number;
	struct trace_fast fast;	/* of the plan */
	struct trace_last last;
} __attribute__((aligned(64)));

/* What fewer calls need of it: another. */
struct trace_site_cold {
	uint64_t words[TRACE_FAST_WORDS];	/* of `last`, what is written of them ... */
	uint64_t small[TRACE_FAST_SMALLS];	/* ... and what was behind pointers */
	const struct trace_plan *plan;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct trace_site) == 64 && sizeof(struct trace_site_cold) == 64, "lines");

/* Zeroed, there are none. */
struct trace_sites {
	struct trace_site sites[TRACE_SITES];
	struct trace_site_cold cold[TRACE_SITES];	/* of each */
	uint32_t victim;	/* counts sites that gave way to others ... */
	uint32_t conflicts;	/* ... and calls from those not found at once */
};

/* Of one that lies in a struct trace_sites. */
static inline const struct trace_site_cold *trace_site_cold_of(const struct trace_site *site)
{
	return (const struct trace_site_cold *)(const void *)(site + TRACE_SITES);
}

/* Context of all: call. */

/* 0 if that is the call's site; no jump. */
static inline uint64_t trace_site_differs(const struct trace_site *site,
					  const void *caller,
					  const struct cuaudit_function *function,
					  uint32_t generation)
{
	return ((uintptr_t)site->caller ^ (uintptr_t)caller) |
	       ((uintptr_t)site->function ^ (uintptr_t)function) |
	       (site->generation ^ generation);
}

/* Where the call's site is found at once, if it is there. */
static inline struct trace_site *trace_site_first(struct trace_sites *sites,
						  const void *caller,
						  const struct cuaudit_function *function)
{
	uint32_t sum = (uint32_t)(uintptr_t)caller ^
		       (uint32_t)(uintptr_t)function << TRACE_SITE_FUNCTION_SHIFT;

	/* The upper bits of a product depend on all bits. */
	return &sites->sites[sum * TRACE_SITES_FACTOR >> (32 - TRACE_SITES_BITS)];
}

/* *site is that call site from now on. */
void trace_site_begin(struct trace_sites *sites, struct trace_site *site, const void *caller,
		      const struct cuaudit_function *function, uint32_t generation,
		      uint32_t number, const struct trace_plan *plan);

/* Another chunk is written to. */
void trace_site_forget(struct trace_sites *sites);

/* Where the call's site is; else, as trace_site_differs says of it, where it is to be. */
struct trace_site *trace_site_seek(struct trace_sites *sites, const void *caller,
				   const struct cuaudit_function *function, uint32_t generation);

#endif
