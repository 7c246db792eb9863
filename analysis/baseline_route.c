/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are routes: they say something only where their function is called. */
#include "analysis/baseline_route.h"

#include <string.h>

const char *const baseline_routes[BASELINE_ROUTES] = {
	[ROUTE_SYMBOL] = "symbol",
	[ROUTE_DLSYM] = "dlsym",
	[ROUTE_PROCADDR] = "procaddr",
	[ROUTE_OTHER] = "other",
};

static const char routes[] = "routes\t", calls[] = "calls\t";

bool baseline_is_route(const char *key)
{
	return !strncmp(key, routes, sizeof(routes) - 1);
}

/* Bytes of the library and the function of a route, with the tab behind each. */
static size_t length_of(const char *library)
{
	const char *function = strchr(library, '\t') + 1;

	return (size_t)(strchr(function, '\t') + 1 - library);
}

bool baseline_has_other_route(const struct table *table, const char *key)
{
	size_t length = sizeof(routes) - 1 + length_of(key + sizeof(routes) - 1);

	for (uint32_t i = 0; i < table->count; i++) {
		const char *other = table->keys[i].bytes;

		if (!strncmp(other, key, length) && strcmp(other, key) != 0)
			return true;
	}
	return false;
}

static bool is_call_of(const char *key, const char *route)
{
	const char *library = route + sizeof(routes) - 1;

	return !strncmp(key, calls, sizeof(calls) - 1) &&
	       !strncmp(key + sizeof(calls) - 1, library, length_of(library));
}

bool baseline_has_calls(const struct baseline_lock *lock, const char *route)
{
	for (uint32_t i = 0; i < lock->facts.count; i++)
		if (is_call_of(lock->facts.keys[i].bytes, route) &&
		    !((const struct baseline_fact *)table_row(&lock->facts, i))->gone)
			return true;
	return false;
}
