/* SPDX-License-Identifier: Apache-2.0 */
/* A program run for its manifest: traced into a directory of our own. */
#ifndef TOOLS_MANIFEST_RUN_H
#define TOOLS_MANIFEST_RUN_H

#include "tools/exec.h"

/* Reads the traces in a directory: a status. *living: some are still written. */
typedef int (*manifest_read_fn)(const char *directory, bool *living);

/*
 * Runs the program, argv[0], reads its traces when it has ended, and calls write, which returns a status,
 * when they are removed and signals end us again. Its own exit status, or it ends by the same signal;
 * TOOL_FAILED where there is no manifest. In the child it does not return.
 */
int manifest_run(struct launch *launch, char **argv, manifest_read_fn read, int (*write)(void));

#endif
