/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the core stands on: the auditor's table. */
#ifndef HOOKS_CORE_LINK_H
#define HOOKS_CORE_LINK_H

#include <cuaudit/public.h>

#include <stdatomic.h>
#include <stdbool.h>

#include <internal/link.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Written by the auditor before the core's constructor runs. */
extern CUAUDIT_PUBLIC struct link_table *cuaudit_core_link;

/* Whether a driver or a library of CUAUDIT_PROVIDERS was loaded: else there is nothing to be watched. */
static inline bool core_link_any_provider(void)
{
	return link_any_provider(cuaudit_core_link);
}

#endif
