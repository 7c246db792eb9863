/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics in a process without stubs: their hooks are called as any are. */
#include "hooks/modules/stat/stat_fast_path.h"

int stat_fast_add(const struct cuaudit_hook *hook, void (*answered)(const struct cuaudit_call *call))
{
	(void)answered;
	return cuaudit_hook_add(hook);
}

int stat_fast_add_plain(const struct cuaudit_hook *hook, void (*answered)(const struct cuaudit_call *call))
{
	return stat_fast_add(hook, answered);
}

int stat_fast_add_counter(const struct cuaudit_hook *hook, void (*answered)(const struct cuaudit_call *call))
{
	return stat_fast_add(hook, answered);
}
