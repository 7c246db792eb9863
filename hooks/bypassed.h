/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that a library makes for a hook, which are none of the program's. */
#ifndef HOOKS_BYPASSED_H
#define HOOKS_BYPASSED_H

#include <stdint.h>

/*
 * Context: call, in a hook, around what it asks of a library that may call the driver for that, on whatever
 * stack; the thread's signals are blocked, since calls of a handler are the program's. Those calls pass without
 * hooks, and are not lost: nobody is told of them. Begin answers what end is given. In between, cuaudit_real
 * answers of the first copy of the driver.
 */
uint64_t bypassed_begin(void);
void bypassed_end(uint64_t before);

#endif
