/* SPDX-License-Identifier: Apache-2.0 */
/* How much a call copies, and in which direction. */
#ifndef HOOKS_MODULES_RULES_RULES_COPIED_H
#define HOOKS_MODULES_RULES_RULES_COPIED_H

#include <stdint.h>

#include <cuaudit/call.h>

enum { RULE_ANY_DIRECTION = -1, RULE_NO_DIRECTION = -2 };

/* A selector of the functions that copy. */
extern const char rules_copies[];

/* The words for directions, up to NULL; which of them a text is, RULE_NO_DIRECTION: none. */
extern const char *const rules_directions[];
int16_t rules_direction(const char *word);

/*
 * Context: call. Bytes that a call copied in a direction, or in any; 0 for a
 * call that copies otherwise. Where a direction is not said, the driver is asked what the addresses are.
 */
uint64_t rules_copied(const struct cuaudit_call *call, int16_t direction);

#endif
