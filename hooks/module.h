/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the modules CUAUDIT_HOOKS names, and ends them. */
#ifndef HOOKS_MODULE_H
#define HOOKS_MODULE_H

/* Context: setup. Starts each; what is wrong with one is said, and it is left out. */
void module_start_all(void);

/* Context: setup. The end of the process. */
void module_finish_all(void);

/* Context: call, in the child of fork. */
void module_forked(void);

#endif
