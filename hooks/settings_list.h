/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the variables that are set as they were understood, for CUAUDIT_STRICT=check. */
#ifndef HOOKS_SETTINGS_LIST_H
#define HOOKS_SETTINGS_LIST_H

/* Bits of `given` of struct link_environment. */
enum variable {
#define VARIABLE(name, field, kind, fallback, values, summary) VARIABLE_##name,
#include <cuaudit/variables.def>
#undef VARIABLE
	VARIABLES
};

/* Context: setup. A line each, all of them judged before; the hooks are module.c's. */
void settings_list(void);

#endif
