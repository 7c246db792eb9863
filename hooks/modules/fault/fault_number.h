/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in the text of a rule. Context: setup; all return 0 or -EINVAL. */
#ifndef MODULES_FAULT_NUMBER_H
#define MODULES_FAULT_NUMBER_H

#include <stdint.h>

/* Digits, or 0x and hexadecimal ones, up to what follows them. */
int fault_number_begin(const char **text, uint64_t *value);

/* The same and nothing more. */
int fault_number(const char *text, uint64_t *value);

/* The same with k, M or G behind it, powers of 1024. */
int fault_number_size(const char *text, uint64_t *value);

/* Digits and ns, us, ms or s, us where there is none: in nanoseconds, at most a year. */
int fault_number_time(const char *text, uint64_t *ns);

/* A fraction from 0, not it, to 1, of FAULT_CERTAIN. */
#define FAULT_CERTAIN ((uint64_t)1 << 53)
int fault_number_chance(const char *text, uint64_t *chance);

#endif
