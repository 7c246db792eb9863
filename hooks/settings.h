/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the CUAUDIT_ variables that the auditor cannot, and has it report the others. */
#ifndef HOOKS_SETTINGS_H
#define HOOKS_SETTINGS_H

/*
 * Context: setup. One line for each variable that does not exist or does not
 * parse; the latter get their default. Those of HOOKS come from module.c.
 */
void settings_check(void);

#endif
