/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory is a device's. Context of all: call, after it succeeded. */
#ifndef HOOKS_MODULES_LEAK_LEAK_PLACE_H
#define HOOKS_MODULES_LEAK_LEAK_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/call.h>

struct leak_rule;

/* Whether what the call allocated are bytes of a device, of its kind, that are not counted already. */
bool leak_place_is_counted(const struct cuaudit_call *call, const struct leak_rule *rule);

/* The call made or told a pool: what comes from it later is where it is. */
void leak_place_pool(const struct cuaudit_call *call, const struct leak_rule *rule, uint64_t pool);

#endif
