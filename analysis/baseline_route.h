/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are routes: they say something only where their function is called. */
#ifndef ANALYSIS_BASELINE_ROUTE_H
#define ANALYSIS_BASELINE_ROUTE_H

#include <stdbool.h>

#include "util/hash_table.h"

/* Whether the key of a fact is a route's. */
bool baseline_is_route(const char *key);

/* Whether keys of the table have another route of its library and function. */
bool baseline_has_other_route(const struct table *table, const char *key);

/* Whether the key is of calls of its library and function. */
bool baseline_is_call_of(const char *key, const char *route);

#endif
