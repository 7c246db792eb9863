/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are routes: they say something only where their function is called. */
#ifndef ANALYSIS_BASELINE_ROUTE_H
#define ANALYSIS_BASELINE_ROUTE_H

#include <stdbool.h>

#include "analysis/baseline.h"

/* Their names, which a field is that has no other text. */
enum { ROUTE_SYMBOL, ROUTE_DLSYM, ROUTE_PROCADDR, ROUTE_OTHER, BASELINE_ROUTES };
extern const char *const baseline_routes[BASELINE_ROUTES];
#define BASELINE_ROUTE_WORDS "symbol, dlsym, procaddr or other"

/* Whether the key of a fact is a route's. */
bool baseline_is_route(const char *key);

/* Whether keys of the table have another route of its library and function. */
bool baseline_has_other_route(const struct table *table, const char *key);

/* Whether the lock has calls of the library and function of a route: these say how many there are to be. */
bool baseline_has_calls(const struct baseline_lock *lock, const char *route);

#endif
