/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's memory of the places it calls from. */
#include "hooks/modules/trace_site.h"

/*
 * A new place goes into what is free, or was before objects came and went, or
 * where another was, in turn. Sixteen share sixteen, as several in use all
 * the time may want the same; one of them is found at once. That is not to be
 * one that was called from once, as hundreds are when libraries start: now and
 * then they change.
 */
struct trace_site *trace_site_seek(struct trace_sites *sites, const void *caller,
				   const struct cuaudit_function *function, uint32_t generation)
{
	struct trace_site *first = trace_site_first(sites, caller, function), *site, between;
	uint32_t index = (uint32_t)(first - sites->sites);
	struct trace_site *ways[TRACE_SITE_WAYS];

	for (uint32_t i = 0; i < TRACE_SITE_WAYS; i++) {
		site = ways[i] = &sites->sites[index ^ i];
		if (trace_site_differs(site, caller, function, generation))
			continue;
		if (site == first || ++sites->elsewhere % TRACE_SITE_CHANGE)
			return site;
		between = *first;
		*first = *site;
		*site = between;
		return first;
	}
	for (uint32_t i = 0; i < TRACE_SITE_WAYS; i++)
		if (!ways[i]->caller || ways[i]->generation != generation)
			return ways[i];
	return ways[sites->victim++ % TRACE_SITE_WAYS];
}
