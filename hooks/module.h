/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the modules CUAUDIT_HOOKS names, and ends them. */
#ifndef HOOKS_MODULE_H
#define HOOKS_MODULE_H

#include <stdbool.h>

/*
 * Context: setup. Reads CUAUDIT_HOOKS and has each module judge its options;
 * what is wrong is reported and left out, or ends the process.
 */
void module_prepare_all(void);

/* Context: setup. Lists them with their options, and what they enforce: CUAUDIT_STRICT=check. */
void module_list(void);

/* Context: setup. Starts those; one that cannot start is left out, or ends the process. */
void module_start_all(void);

/* Context: setup. Reports where the settings let what is enforced not hold. */
void module_report_gaps(void);

/* Context: setup. The end of the process. */
void module_finish_all(void);

/* Context: setup. Whether any of them is to be notified. */
bool module_wants_process_exit(void);

/* Context: call. The process is about to end, see struct cuaudit_module. */
void module_process_exit(int status, int by_exit);

/* Context: call, in the child of fork. */
void module_forked(void);

#endif
