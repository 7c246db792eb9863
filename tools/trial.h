/* SPDX-License-Identifier: Apache-2.0 */
/* Has the auditor and its core judge the settings before a program is started with them. */
#ifndef TOOLS_TRIAL_H
#define TOOLS_TRIAL_H

#include <stdbool.h>

#include "tools/child.h"

/*
 * Loads the core of this path, which ends the process; else an exit status.
 * functions: "driver" to load it before, "table" for those known without.
 */
int trial(const char *functions, const char *core);

/*
 * The same for doctor, whatever CUAUDIT_STRICT is: 1 if all is understood, 0 if not, -errno. child has
 * what was written then, a line for each setting if all is understood; child_free in all cases.
 */
int trial_list(const char *auditor, struct child *child);

/* What begins the lines of trial_list that are of settings; what the last of them says. */
#define TRIAL_LINE "CUAUDIT_STRICT=check: "
#define TRIAL_END "the settings are understood"

/*
 * Judges the environment, which is the program's, but for LD_AUDIT. False after
 * a message that says what is not understood.
 */
bool trial_passes(const char *auditor);

#endif
