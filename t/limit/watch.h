/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver itself says is taken. */
#ifndef T_LIMIT_WATCH_H
#define T_LIMIT_WATCH_H

#include <stddef.h>

/* Of the current context's device; SIZE_MAX: it does not say. */
size_t watch_used(void);

#endif
