/* SPDX-License-Identifier: Apache-2.0 */
/* Options that do not go together: conflicts.def. */
#ifndef TOOLS_CONFLICTS_H
#define TOOLS_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

/* That an option, a row of commands.def, was given. */
void conflicts_given(size_t row, const char *value);

/*
 * Whether an option of a subcommand would have no effect, after a message: by the others that were
 * given, and where condition holds, ":WORD" of the table; NULL: none is known yet.
 */
bool conflicts_any(const char *command, const char *condition);

#endif
