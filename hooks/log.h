/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr, by one write each. */
#ifndef HOOKS_LOG_H
#define HOOKS_LOG_H

#include <cuaudit/hook.h>
#include <stdbool.h>

/* Context: setup. Takes the level from CUAUDIT_LOG. */
void log_setup(void);

/* Context: setup. Warnings are reported even by CUAUDIT_LOG=error, as what follows ends the process. */
void log_raise(bool raised);

#endif
