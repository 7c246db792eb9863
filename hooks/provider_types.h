/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of CUAUDIT_TYPES say of providers' functions. */
#ifndef HOOKS_PROVIDER_TYPES_H
#define HOOKS_PROVIDER_TYPES_H

#include <cuaudit/call.h>
#include <stddef.h>

#include "print/table.h"

struct prototype;

/* Context: setup, once. */
void provider_types_setup(void);

/* Functions that the files have. */
uint32_t provider_types_total(void);

/* Context: setup, under the lock of slots. What is said of a slot's function, by any of its names. */
void provider_types_describe(uint32_t slot, const char *name);

/* Context: call. NULL: nothing. */
const struct prototype *provider_types_of(const struct cuaudit_function *function);

/* Context: call. The words that its parameters begin with, and how many are known; 0 if nothing is said of it. */
uint32_t provider_types_words(const struct cuaudit_function *function, uint8_t words[PRINT_TYPED]);

/* Context: call. One of them, by its word. */
struct print_param provider_types_param(const struct cuaudit_function *function, uint32_t index, uint8_t word);

static inline uint32_t provider_types_count(const struct cuaudit_function *function)
{
	uint8_t words[PRINT_TYPED];

	return provider_types_words(function, words);
}

/*
 * Context: call. Its result as such a parameter; its word is not among those of hooks, and the half that is
 * call->result may have been changed there. false: there is none, or it is not known.
 */
bool provider_types_result(const struct cuaudit_function *function, struct print_param *result);

/* Context: call. The enumerator of a value that it returns, NULL if there is none. */
const char *provider_types_value_name(const struct cuaudit_function *function, int32_t value);

/*
 * Context: setup. The value of an enumerator that functions of the files return; false: none has that name,
 * or several that differ. near: what one that is mistyped was meant to be, NULL if none is near.
 */
bool provider_types_value(const char *name, int32_t *value);
const char *provider_types_near(const char *name);

/*
 * Context: call. The function as lines of cuaudit-types(5), with its enumerations unless that is more
 * than size: into buffer, ended by a NUL; how long it is, 0 if nothing is said of it.
 */
size_t provider_types_text(const struct cuaudit_function *function, char *buffer, size_t size);

#endif
