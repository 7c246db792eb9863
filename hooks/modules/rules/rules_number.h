/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, results and signals as rules have them. Context: setup. */
#ifndef HOOKS_MODULES_RULES_RULES_NUMBER_H
#define HOOKS_MODULES_RULES_RULES_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Digits alone; a size with its unit; a time with its unit, in nanoseconds. */
bool rules_count(const char *text, uint64_t *number);
bool rules_size(const char *text, uint64_t *bytes);
bool rules_time(const char *text, uint64_t *ns);

/*
 * 1st, 2nd, 3rd, 4th, 11th, 21st. Where it is none, as 5st or 5, right gets the one that was
 * meant, else "".
 */
enum { RULES_ORDINAL = 24 };
bool rules_ordinal(const char *text, uint64_t *number, char right[RULES_ORDINAL]);

/* 12.4, as cuGetProcAddress has it: 12040. */
bool rules_version(const char *text, uint32_t *version);

enum { RULES_ANY_RESULT = -1, RULES_NO_RESULT = -2 };

/* OUT_OF_MEMORY, with CUDA_ERROR_ or without, or 2; * is any. */
int32_t rules_result(const char *text);

/* USR1, USR2, with SIG or without; 0 for others, which mean something to programs. */
int rules_signal(const char *text);

#endif
