/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit check --write-baseline and --update: several runs become a lock file. */
#ifndef TOOLS_CHECK_WRITE_H
#define TOOLS_CHECK_WRITE_H

#include "tools/check_lock.h"
#include "tools/check_run.h"

/*
 * Runs the command so often and writes what these runs came to. LAUNCH_GO in the command, or the
 * exit status. The lock file stays as it is unless that is 0.
 */
int check_write(struct check_run *run, struct check_lock *lock, uint32_t runs, char **command);

#endif
