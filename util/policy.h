/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts may be to enforce something, where no module can be asked. */
#ifndef UTIL_POLICY_H
#define UTIL_POLICY_H

#include <stdbool.h>

/*
 * Context: bind, setup. Whether a value of CUAUDIT_HOOKS, or what was meant to
 * be one, holds a module or an option that enforces something.
 */
bool policy_in(const char *text);

/* Context: bind. Whether hooks have a limit that ends the process when memory cannot be counted. */
bool policy_ends_uncounted(const char *hooks);

#endif
