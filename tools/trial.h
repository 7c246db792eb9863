/* SPDX-License-Identifier: Apache-2.0 */
/* Has the auditor and its core judge the settings before a program is started with them. */
#ifndef TOOLS_TRIAL_H
#define TOOLS_TRIAL_H

#include <stdbool.h>

/* The argument that makes this program judge's child. */
#define TRIAL_WORD "--trial"

/*
 * Loads the core of this path, which ends the process; else an exit status.
 * functions: "driver" to load it before, "table" for those known without.
 */
int trial(const char *functions, const char *core);

/*
 * Judges the environment, which is the program's, but for LD_AUDIT. False after
 * a message that says what is not understood.
 */
bool trial_passes(const char *auditor);

#endif
