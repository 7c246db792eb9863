/* SPDX-License-Identifier: Apache-2.0 */
/* What of ranges could not be followed. */
#ifndef HOOKS_RANGE_LOSS_H
#define HOOKS_RANGE_LOSS_H

#include <cuaudit/range.h>

/* Context: call. One more. */
void range_lose(enum cuaudit_range_loss why);

/* Context: call. A text was cut, by whose rest a glob might decide otherwise: told where losses are, and counted nowhere. */
void range_lose_text(void);

/* Context: call, in the child of fork. */
void range_loss_forked(void);

#endif
