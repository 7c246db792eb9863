/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: which functions a text names. Context: setup. */
#ifndef HOOKS_SELECTOR_H
#define HOOKS_SELECTOR_H

#include <cuaudit/call.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the selector takes the function. Comma-separated, the last that
 * matches decides: a glob over the symbol or the base name, %class, and
 * either behind '!' to take away. Beginning with '!' means all but; empty
 * means all.
 */
bool selector_matches(const char *selector, const struct cuaudit_function *function);

/*
 * The first part of selector that cannot match anything: an unknown class, an
 * unfinished [set], a text longer than any name. NULL if there is none; *length is set.
 */
const char *selector_fault(const char *selector, size_t *length);

/* The CUAUDIT_CLASS_* bits of a class by name, 0 if there is none such. */
uint32_t selector_class(const char *name, size_t length);

#endif
