/* SPDX-License-Identifier: Apache-2.0 */
/* What plug-ins may crash in without taking the program along. Context: setup. */
#ifndef HOOKS_CRASH_H
#define HOOKS_CRASH_H

#include <cuaudit/hook.h>

/*
 * Runs init. If the calling thread crashes in it, or calls abort, *number is
 * the signal, else 0. The process's handlers of these signals are put aside
 * meanwhile; other threads' crashes go to them.
 */
int crash_run(int (*init)(const struct cuaudit_options *options),
	      const struct cuaudit_options *options, int *number);

/*
 * Until it is called with NULL, a crash of this thread says that it is name's,
 * and goes on: out of the loader there is no way back.
 */
void crash_name(const char *name);

#endif
