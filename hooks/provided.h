/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries of CUAUDIT_PROVIDERS came, and what of them has no hook. */
#ifndef HOOKS_PROVIDED_H
#define HOOKS_PROVIDED_H

#include <stdbool.h>

struct selector;

/* Context: call. Whether a library came, be it closed since, whose functions' names begin with a match of the glob. */
bool provided_came(const char *glob);

/*
 * Context: call. Whether the selector takes a function that was bound and can have no hook, by all its names, or one of
 * the C library that is not hooked for all that bound it.
 */
bool provided_unfit(const struct selector *selector);

#endif
