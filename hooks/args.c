/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a typed view is that of the call it is asked of. */
#include <cuaudit/args.h>

#include <cuaudit/hook.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/layout.h"

int cuaudit_call_is(const struct cuaudit_call *call, int id)
{
	const char *name = call->function->name, *twin;
	size_t length;

	if (call->function->id == id)
		return 1;
	if (call->function->id < 0 || id < 0 || (uint32_t)id >= layout_count)
		return 0;
	twin = layout_row((uint32_t)id)->name;
	length = strlen(twin);
	return !strncmp(name, twin, length) &&
	       (!strcmp(name + length, "_ptds") || !strcmp(name + length, "_ptsz"));
}

void cuaudit_args_mistaken(const struct cuaudit_call *call, const char *symbol)
{
	cuaudit_log(CUAUDIT_ERROR, "a hook reads the arguments of %s as those of %s",
		    call->function->name, symbol);
	abort();
}
