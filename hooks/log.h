/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr, by one write each. */
#ifndef HOOKS_LOG_H
#define HOOKS_LOG_H

#include <cuaudit/hook.h>
#include <stdbool.h>

/* Context: setup. Takes the level from CUAUDIT_LOG. */
void log_setup(void);

/* Context: finish. Messages wait as long for their reader from now on as reports do. */
void log_finish(void);

/* Context: finish. How many messages were not written, if there is anybody by now. */
void log_close(void);

/* Context: setup. Warnings are reported even by CUAUDIT_LOG=error, as what follows ends the process. */
void log_raise(bool raised);

#endif
