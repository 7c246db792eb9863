/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the variables that are set as they were understood, for CUAUDIT_STRICT=check. */
#ifndef HOOKS_SETTINGS_LIST_H
#define HOOKS_SETTINGS_LIST_H

/* Context: setup. A line each, all of them judged before; the hooks are module.c's. */
void settings_list(void);

#endif
