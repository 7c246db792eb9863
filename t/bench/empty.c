/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Empty hooks in a library, as plug-ins are: processors take longer to call what is further
 * away than 4 GiB, as the program's own functions are from the core.
 */
#include <cuaudit/hook.h>

int bench_enter(struct cuaudit_call *call, void *data);
void bench_exit(struct cuaudit_call *call, void *data);

int bench_enter(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	return CUAUDIT_CONTINUE;
}

void bench_exit(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}
