/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a function are written, and how. */
#include "hooks/modules/trace_plan.h"

const struct trace_plan *trace_plan(const struct cuaudit_function *function)
{
	(void)function;
	return NULL;
}

char *trace_plan_copy(const struct trace_plan *plan, const struct cuaudit_call *call, char *to)
{
	(void)plan;
	(void)call;
	return to;
}
