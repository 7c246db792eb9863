/* SPDX-License-Identifier: Apache-2.0 */
/* What --help and --version print. */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/commands.h"

void help_all(void);
void help_command(const struct command *command);
void help_version(void);

#endif
