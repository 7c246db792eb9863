/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: which functions a text names. Context: setup. */
#ifndef UTIL_SELECTOR_H
#define UTIL_SELECTOR_H

#include <cuaudit/call.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Comma-separated parts, the last that matches decides: a glob over the symbol
 * or the base name (a provider's functions are LIBRARY:SYMBOL), =symbol, %class, /extended regex/ found in either, and each
 * of them behind '!' to take away. Beginning with '!' means all but; empty means all.
 * Characters are those of the C locale, whatever the program's is.
 */
struct selector;

/* Reads a text without a fault; NULL when memory is out. The caller closes it. */
struct selector *selector_open(const char *text);

bool selector_takes(const struct selector *selector, const struct cuaudit_function *function);

/*
 * The same of a function of several names: the number of the last part that matches one of them, or
 * -1; the greatest of those numbers decides.
 */
int32_t selector_last(const struct selector *selector, const struct cuaudit_function *function);
bool selector_decides(const struct selector *selector, int32_t last);

void selector_close(struct selector *selector);

enum { SELECTOR_NEAR = 512 };

/*
 * How many of its parts, with or without '!', are of no function that it was
 * asked about; first gets the text of the first of them.
 */
uint32_t selector_unmatched(const struct selector *selector, char first[SELECTOR_NEAR]);

/*
 * The first part of text that cannot match anything: an unknown class, an
 * unfinished [set] or /regex/, a bad regex, a text longer than any name. NULL
 * if there is none; *length is set.
 */
const char *selector_fault(const char *text, size_t *length);

/*
 * The same of its parts for functions of providers alone, %providers and those with a colon:
 * which there are is not known before they are bound.
 */
uint32_t selector_unbound(const struct selector *selector, char first[SELECTOR_NEAR]);

/*
 * The first part of a text without a fault that names, not by a glob, a provider's function around which
 * no hook can be; NULL: none does, *length is set.
 */
const char *selector_unfit(const char *text, size_t *length);

/*
 * Whether came says so of the libraries of all its parts that take functions of providers; true if
 * there are none. any: whether there are.
 */
bool selector_libraries(const struct selector *selector, bool (*came)(const char *glob), bool *any);

/*
 * The index-th of the functions there are; false past the last one. SELECTOR_LATER: whether
 * functions of providers may come yet, so that parts for these are not unknown.
 */
enum { SELECTOR_LATER = INT32_MAX };

typedef bool (*selector_source_fn)(uint32_t index, struct cuaudit_function *function);

/*
 * The first part of a text without a fault that names none of source's
 * functions; NULL if all do, *length is set.
 */
const char *selector_unknown_name(const char *text, size_t *length, selector_source_fn source);

/* Whether none of source's functions is taken by a text whose parts all name some. */
bool selector_takes_none(const char *text, selector_source_fn source);

/*
 * Writes "; did you mean X, Y?" for such a part to near, or nothing where all
 * are far; for a class, all that there are.
 */
void selector_near(const char *part, size_t length, char near[SELECTOR_NEAR],
		   selector_source_fn source);

#endif
