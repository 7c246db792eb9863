/* SPDX-License-Identifier: Apache-2.0 */
/* What parts of the core that are fuzzed ask of others, which are not there: no ranges, no kernels. */
#include <cuaudit/hook.h>
#include <cuaudit/range.h>

#include "hooks/call_site.h"
#include "hooks/kernel.h"
#include "hooks/modules/stat/stat_error.h"

int cuaudit_range_selector(const char *glob)
{
	return *glob ? 0 : -1;
}

int cuaudit_call_in_range(const struct cuaudit_call *call, int selector)
{
	(void)call;
	(void)selector;
	return 0;
}

int cuaudit_kernel_prepare(void)
{
	return 0;
}

struct kernel kernel_of(uint64_t handle)
{
	(void)handle;
	return (struct kernel){ .name = NULL };
}

void call_site_json(struct writer *json, const void *caller, const struct cuaudit_library *library,
		    char *name, size_t size)
{
	(void)json, (void)caller, (void)library, (void)name, (void)size;
}

const char *call_site_text(char text[CALL_SITE_TEXT], const void *caller,
			   const struct cuaudit_library *library)
{
	(void)caller;
	(void)library;
	text[0] = '\0';
	return text;
}

void stat_error(const struct cuaudit_stat_cell *cell, const void *caller, int32_t result)
{
	(void)cell;
	(void)caller;
	(void)result;
}

void stat_error_forked(void)
{
}

void *cuaudit_pages(size_t size)
{
	(void)size;
	return NULL;
}
