/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges that the program has open, and who is told of them. */
#ifndef HOOKS_RANGE_H
#define HOOKS_RANGE_H

#include <cuaudit/range.h>

/* Context: setup. Modules have started: if one wants ranges, libcuaudit-nvtx.so finds the core's part. */
void range_publish(void);

/* Context: setup, the end of the process. Selectors that took no range are reported. */
void range_report(void);

#endif
