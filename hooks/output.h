/* SPDX-License-Identifier: Apache-2.0 */
/* Where hooks write: CUAUDIT_OUTPUT, filled in. Context: setup. */
#ifndef HOOKS_OUTPUT_H
#define HOOKS_OUTPUT_H

/* Remembers the start time and what a later look-up might not find. */
void output_setup(void);

#endif
