/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules hook asks of the driver itself. Context of all: call. */
#ifndef HOOKS_MODULES_RULES_RULES_DRIVER_H
#define HOOKS_MODULES_RULES_RULES_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* The device of the current context; -1 if there is none. */
int rules_current_device(void);

/* Whether an address is the device's; one that the driver does not know is the host's. */
bool rules_is_device(uint64_t address);

#endif
