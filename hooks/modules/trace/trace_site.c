/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's memory of its call sites. */
#include "hooks/modules/trace/trace_site.h"

_Static_assert(sizeof(struct trace_site) == sizeof(struct trace_site_cold) &&
	       offsetof(struct trace_sites, cold) == TRACE_SITES * sizeof(struct trace_site), "cold");

void trace_site_begin(struct trace_sites *sites, struct trace_site *site, const void *caller,
		      const struct cuaudit_function *function, uint32_t generation,
		      uint32_t number, const struct trace_plan *plan)
{
	*site = (struct trace_site){
		.caller = caller, .function = function, .generation = generation,
		.number = number, .fast = plan->fast,
	};
	sites->cold[site - sites->sites] = (struct trace_site_cold){ .plan = plan };
	if (trace_plan_is_int(plan, function))
		return;
	for (int i = 0; i < TRACE_FAST_WORDS; i++) {
		int size = plan->values[i + 1] - plan->values[i];

		site->last.masks[i] = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	}
}

void trace_site_forget(struct trace_sites *sites)
{
	for (int i = 0; i < TRACE_SITES; i++)
		sites->sites[i].last.record = NULL;
}

static void swap(struct trace_sites *sites, struct trace_site *a, struct trace_site *b)
{
	struct trace_site_cold *cold_a = &sites->cold[a - sites->sites];
	struct trace_site_cold *cold_b = &sites->cold[b - sites->sites];
	struct trace_site site = *a;
	struct trace_site_cold cold = *cold_a;

	*a = *b;
	*b = site;
	*cold_a = *cold_b;
	*cold_b = cold;
}

/*
 * A new call site goes into what is free, or was before objects came and went, or
 * where another was, in turn. Sixteen share sixteen, as several in use all
 * the time may want the same; one of them is found at once. That is not to be
 * one that was called from once, as hundreds are when libraries start: now and
 * then they change.
 */
struct trace_site *trace_site_seek(struct trace_sites *sites, const void *caller,
				   const struct cuaudit_function *function, uint32_t generation)
{
	struct trace_site *first = trace_site_first(sites, caller, function), *site;
	uint32_t index = (uint32_t)(first - sites->sites);
	struct trace_site *ways[TRACE_SITE_WAYS];

	for (uint32_t i = 0; i < TRACE_SITE_WAYS; i++) {
		site = ways[i] = &sites->sites[index ^ i];
		if (trace_site_differs(site, caller, function, generation))
			continue;
		if (site == first || ++sites->conflicts % TRACE_SITE_CHANGE)
			return site;
		swap(sites, first, site);
		return first;
	}
	for (uint32_t i = 0; i < TRACE_SITE_WAYS; i++)
		if (!ways[i]->caller || ways[i]->generation != generation)
			return ways[i];
	return ways[sites->victim++ % TRACE_SITE_WAYS];
}
