/* SPDX-License-Identifier: Apache-2.0 */
/* What observe.h sees, as TAP; a native run passes. */
#ifndef T_ROUTES_CHECKS_H
#define T_ROUTES_CHECKS_H

#include <errno.h>

#include "t/routes/observe.h"
#include "t/tap.h"

/* Hooks that do nothing. */
static __attribute__((unused)) int enter_nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	return CUAUDIT_CONTINUE;
}

static __attribute__((unused)) void exit_nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}

/* All calls of function were made by library, and each was seen at both its ends. */
static __attribute__((unused)) void seen(const char *function, int calls, const char *library)
{
	if (!observe_routed())
		return;
	is_int(observe_enters(function), calls, "%s: entered", function);
	is_int(observe_exits(function), calls, "%s: left", function);
	is_int(observe_from(function, library), calls, "%s: called by %s", function,
	       library ? library : "the program");
}

/* function was bound count times by route and by no other way, if the loader tells. */
static __attribute__((unused)) void bound_by(const char *function, enum cuaudit_route route,
					     int count)
{
	static const char *const names[CUAUDIT_ROUTES] = {
		"PLT", "dlsym", "relocation", "cuGetProcAddress",
	};

	if (!observe_told(route, false))
		count = 0;
	for (int i = 0; observe_routed() && i < CUAUDIT_ROUTES; i++)
		is_int((long long)observe_bound(function, (enum cuaudit_route)i),
		       i == (int)route ? count : 0, "%s: bound by %s", function, names[i]);
}

#endif
