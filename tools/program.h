/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program can be audited, told from its file. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <limits.h>

#include "tools/finding.h"

struct program {
	char path[PATH_MAX];	/* what the user named, as a path */
	char binary[PATH_MAX];	/* what the kernel runs in the end: the same, or a script's interpreter */
	char loader[PATH_MAX];	/* the binary's, "" if it is a loader itself */
	char own_auditor[PATH_MAX]; /* of its DT_AUDIT or DT_DEPAUDIT, "" */
	int opens_device;
};

/* As execvp(3): the first in PATH that can be run, or the name itself and an errno. */
int program_find(const char *name, char path[PATH_MAX]);

/*
 * Finds name as execvp(3) does and looks at it. FINDING_PROGRAM if it can be
 * audited, else why not; *first and *second are the message's strings and live
 * as long as the program.
 */
enum finding program_judge(struct program *program, const char *name, const char **first,
			   const char **second);

#endif
