/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the frames of a program's Python interpreter can be read, told from its file. */
#ifndef TOOLS_INTERPRETER_H
#define TOOLS_INTERPRETER_H

#include <stdbool.h>

#include "tools/finding.h"
#include "tools/program.h"

/*
 * False if the program has no interpreter, nor is linked to one; else what there is to say of it,
 * with the message's strings, which are static.
 */
bool interpreter_judge(const struct program *program, enum finding *finding, const char **first,
		  const char **second);

#endif
